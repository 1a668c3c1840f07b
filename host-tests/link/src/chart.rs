//! Charts: axes and curves. How they look is the business of [`drawing`](super::drawing).
//!
//! Logarithmic axes are those of the exponents: tick marks at whole powers of ten, whatever the library thinks of logarithms.

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    Linear,
    /// By powers of ten.
    Logarithmic,
    /// By names, from the top: 0, 1, 2 are the first, the second and the third.
    Names,
}

/// One of the two axes of a panel.
#[derive(Clone, Debug)]
pub struct Axis {
    pub(crate) name: String,
    pub(crate) scale: Scale,
    range: Option<[f64; 2]>,
    pub(crate) names: Vec<String>,
}

impl Axis {
    /// An even axis.
    pub fn linear(name: &str) -> Self {
        Axis {
            name: name.to_owned(),
            scale: Scale::Linear,
            range: None,
            names: Vec::new(),
        }
    }

    /// An axis of powers of ten. What is not positive is not shown.
    pub fn logarithmic(name: &str) -> Self {
        Axis {
            scale: Scale::Logarithmic,
            ..Self::linear(name)
        }
    }

    /// An axis of names, for the left edge.
    pub fn names(names: Vec<String>) -> Self {
        Axis {
            scale: Scale::Names,
            range: Some([-0.5, names.len() as f64 - 0.5]),
            names,
            ..Self::linear("")
        }
    }

    /// From here to there, instead of as far as there are points. What is beyond is shown at the edge.
    pub fn within(mut self, from: f64, to: f64) -> Self {
        self.range = Some([from, to]);
        self
    }

    /// Where a value is on the axis.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let value = match self.range {
            Some([from, to]) if !value.is_nan() => value.clamp(from, to),
            _ => value,
        };
        let place = match self.scale {
            Scale::Linear => value,
            Scale::Logarithmic => value.log10(),
            // The first at the top.
            Scale::Names => -value,
        };
        place.is_finite().then_some(place)
    }

    /// The ends of the axis.
    pub(crate) fn ends(&self, values: impl Iterator<Item = f64>) -> [f64; 2] {
        if let Some([from, to]) = self.range
            && let (Some(from), Some(to)) = (self.place(from), self.place(to))
        {
            return [from.min(to), from.max(to)];
        }
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for place in values.filter_map(|value| self.place(value)) {
            (low, high) = (low.min(place), high.max(place));
        }
        if low > high {
            return [0.0, 1.0];
        }
        match self.scale {
            Scale::Logarithmic => {
                let (from, to) = (low.floor(), high.ceil());
                [from, if to > from { to } else { from + 1.0 }]
            }
            Scale::Linear | Scale::Names => {
                let margin = 0.04 * (high - low) + 1e-9 * high.abs().max(1e-9);
                [low - margin, high + margin]
            }
        }
    }

    pub(crate) fn tick(&self, ends: [f64; 2]) -> impl Fn(&f64) -> String + use<> {
        let (scale, span) = (self.scale, ends[1] - ends[0]);
        let largest = ends[0].abs().max(ends[1].abs());
        move |place| match scale {
            Scale::Logarithmic => format!("1e{place:.0}"),
            Scale::Names => String::new(),
            Scale::Linear if *place == 0.0 => "0".to_owned(),
            Scale::Linear if !(1e-3..1e5).contains(&largest) => format!("{place:.1e}"),
            Scale::Linear => {
                let digits = (1.0 - (span / 5.0).log10().floor()).clamp(0.0, 8.0);
                let text = format!("{place:.*}", digits as usize);
                if text.contains('.') {
                    text.trim_end_matches('0').trim_end_matches('.').to_owned()
                } else {
                    text
                }
            }
        }
    }

    /// No more labels than whole powers of ten, so that each is one.
    pub(crate) fn labels(&self, ends: [f64; 2]) -> usize {
        match self.scale {
            Scale::Linear => 6,
            Scale::Names => 0,
            Scale::Logarithmic => ((ends[1] - ends[0]) as usize + 1).min(9),
        }
    }
}

/// How points are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Joined.
    Line,
    /// Each by itself.
    Dots,
    /// Both.
    Both,
    /// As bars from the left edge.
    Bars,
}

impl Look {
    pub(crate) fn joined(self) -> bool {
        matches!(self, Look::Line | Look::Both)
    }

    pub(crate) fn dotted(self) -> bool {
        matches!(self, Look::Dots | Look::Both)
    }
}

/// A curve.
#[derive(Clone, Debug)]
pub struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) look: Look,
    pub(crate) colour: usize,
}

/// Two axes with curves.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What stands above.
    pub title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
    pub(crate) size: (u32, u32),
}

/// Pixels of a panel, which a phone shows somewhat smaller.
const SIZE: (u32, u32) = (520, 340);

impl Panel {
    /// No curves yet.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Panel {
            title: title.into(),
            x,
            y,
            series: Vec::new(),
            size: SIZE,
        }
    }

    /// The same with so many pixels.
    pub fn sized(mut self, width: u32, height: u32) -> Self {
        self.size = (width, height);
        self
    }

    /// One more curve, in a colour of its own.
    pub fn with(
        self,
        name: impl Into<String>,
        look: Look,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        let colour = self.series.len();
        self.coloured(colour, name, look, points)
    }

    /// One more curve, in the colour of that number.
    pub fn coloured(
        mut self,
        colour: usize,
        name: impl Into<String>,
        look: Look,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        self.series.push(Series {
            name: name.into(),
            points: points.into_iter().collect(),
            look,
            colour,
        });
        self
    }
}
