//! A half bridge that switches an LC filter. Its two switches close in turn, and a closed one is a resistor: the filter sees a
//! source that jumps between the supply and zero. A step sees the upper switch closed for a part of it; the dead time, in
//! which the current flows on through the diodes, is not modelled. Linear, so that the factorisation is kept.
//!
//! `L i' = s V - (R_switch + R) i - v`, `C v' = i - v / R_load - i_load`.

use stiffstep::prelude::*;

/// The filter with its bridge. States are the coil's current and the capacitor's voltage; inputs the part s of a step
/// for which the upper switch is closed, and the current that the load draws besides its resistance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfBridge {
    /// The supply, in V.
    pub supply: f32,
    /// L, in henry.
    pub inductance: f32,
    /// C, in farad.
    pub capacitance: f32,
    /// The coil's R, in ohm.
    pub winding: f32,
    /// The resistance of a closed switch, in ohm.
    pub switch: f32,
    /// The load, in ohm.
    pub load: f32,
}

impl HalfBridge {
    /// 24 V, with a filter that rings at 156 Hz.
    pub const SMALL: HalfBridge = HalfBridge {
        supply: 24.0,
        inductance: 2.2e-3,
        capacitance: 470e-6,
        winding: 0.1,
        switch: 0.02,
        load: 10.0,
    };
}

impl FirstOrder<f32, 2, 2> for HalfBridge {
    type Mass = Diagonal<f32, 2>;
    const AFFINE: bool = true;

    #[inline(always)]
    fn mass(&self) -> Self::Mass {
        Diagonal([self.inductance, self.capacitance].into())
    }

    #[inline(always)]
    fn rhs<T: Scalar<f32>>(&self, _t: T, x: &Vector<T, 2>, u: &Vector<f32, 2>) -> Vector<T, 2> {
        let (i, v) = (x[0], x[1]);
        [
            -(i * (self.switch + self.winding)) - v + u[0] * self.supply,
            i - v * (1.0 / self.load) - u[1],
        ]
        .into()
    }

    #[inline(always)]
    fn nominal(&self) -> Vector<f32, 2> {
        [5.0, 24.0].into()
    }
}

impl Plant<f32, 2, 2> for HalfBridge {
    type State = Vector<f32, 2>;
    const NAME: &'static str = "LC filter with a half bridge";
    const INPUTS: [Quantity; 2] = quantities![("upper switch", ""), ("load current", "A")];
    const OUTPUTS: [Quantity; 2] = quantities![("output voltage", "V"), ("coil current", "A")];
    const STATES: &'static [Quantity] =
        &quantities![("coil current", "A"), ("capacitor voltage", "V"),];
    const PARAMETERS: &'static [Parameter<Self>] = parameters![
        ("supply", "V", 0.0, 1e3, supply),
        ("inductance", "H", 1e-6, 1.0, inductance),
        ("capacitance", "F", 1e-9, 1.0, capacitance),
        ("winding", "Ohm", 0.0, 1e3, winding),
        ("switch", "Ohm", 0.0, 1e3, switch),
        ("load", "Ohm", 1e-2, 1e6, load),
    ];

    fn outputs(&self, _t: f32, x: &Self::State, _u: &Vector<f32, 2>) -> Vector<f32, 2> {
        [x[1], x[0]].into()
    }
}

remembers_parameters!(HalfBridge);
