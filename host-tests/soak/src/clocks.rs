//! Plants with a clock: periods that are missed, periods that are not, and clocks that do what they like.

use crate::{Draw, Tally};
use core::cell::{Cell, RefCell};
use stiffstep::hil::pins::Pins;
use stiffstep::hil::{Counters, Pace, Policy, Rig, Serving, Session};
use stiffstep_plants::rigs;

/// Ticks a period.
const PERIOD: u32 = 1_000;

/// How a clock goes on whenever somebody looks at it.
enum Hand {
    /// By one tick.
    Steady,
    /// By anything: not at all, a bit, periods, or back.
    Mad(RefCell<Draw>),
}

struct Clock {
    now: Cell<u32>,
    hand: Hand,
}

impl Clock {
    fn steady() -> Self {
        let (now, hand) = (Cell::new(0), Hand::Steady);
        Clock { now, hand }
    }

    fn pass(&self, ticks: u32) {
        self.now.set(self.now.get().wrapping_add(ticks));
    }
}

impl Pace for Clock {
    fn now(&self) -> u32 {
        match &self.hand {
            Hand::Steady => self.pass(1),
            Hand::Mad(draw) => {
                let mut draw = draw.borrow_mut();
                let ticks = draw.bits();
                self.pass(match draw.below(8) {
                    0..3 => 0,
                    3..5 => ticks % 50,
                    5 => ticks % (5 * PERIOD),
                    6 => (ticks % PERIOD).wrapping_neg(),
                    _ => ticks,
                });
            }
        }
        self.now.get()
    }
    fn frequency(&self) -> u32 {
        1_000_000
    }
    fn period(&self) -> u32 {
        PERIOD
    }
}

/// Inputs that a controller might give, and outputs that must be numbers.
struct Wires {
    inputs: [f32; 8],
    finite: bool,
}

impl Pins for Wires {
    fn read(&mut self, input: usize) -> Option<f32> {
        self.inputs.get(input).copied()
    }
    fn write(&mut self, _output: usize, part: f32) {
        self.finite &= part.is_finite();
    }
}

impl Wires {
    fn new() -> Self {
        Wires {
            inputs: [0.5; 8],
            finite: true,
        }
    }

    /// The controller jumps, one input or another, to an end of its range or anywhere in it.
    fn jump(&mut self, draw: &mut Draw) {
        for input in &mut self.inputs {
            *input = match draw.below(6) {
                0 => 0.0,
                1 => 1.0,
                2 => draw.part() as f32,
                _ => *input,
            };
        }
    }

    /// The controller changes its mind, by a tenth of the swing around the middle.
    fn turn(&mut self, draw: &mut Draw) {
        self.inputs = self.inputs.map(|_| 0.45 + 0.1 * draw.part() as f32);
    }
}

/// One of the plants that boards run.
fn session(draw: &mut Draw, policy: Policy) -> Result<Session<Box<dyn Rig>>, String> {
    let h = PERIOD as f32 * 1e-6;
    let rig: Result<Box<dyn Rig>, _> = match draw.below(6) {
        0 => rigs::rlc(h).map(|rig| Box::new(rig) as _),
        1 => rigs::half_bridge(h).map(|rig| Box::new(rig) as _),
        2 => rigs::dc_motor(h).map(|rig| Box::new(rig) as _),
        3 => rigs::arm(h).map(|rig| Box::new(rig) as _),
        4 => rigs::slider_crank(h).map(|rig| Box::new(rig) as _),
        _ => rigs::pendulum(h).map(|rig| Box::new(rig) as _),
    };
    let mut setup = rigs::setup("soak", true);
    setup.policy = policy;
    let rig = rig.map_err(|error| format!("no rig: {error}"))?;
    Ok(Session::new(rig, setup))
}

/// Nobody listens: what waits is gone.
pub fn drain(session: &mut Session<Box<dyn Rig>>) {
    while session.work() || !session.transmit().is_empty() {
        let count = session.transmit().len();
        session.transmitted(count);
    }
}

/// Serves periods until one was served.
fn serve(
    serving: &mut Serving,
    session: &mut Session<Box<dyn Rig>>,
    clock: &Clock,
    wires: &mut Wires,
) -> u32 {
    loop {
        if let Some(missed) = serving.turn(session, clock, wires) {
            drain(session);
            return missed;
        }
    }
}

/// Overruns.
pub fn overruns(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    let policy = [Policy::KeepBest, Policy::Hold, Policy::Safe][draw.below(3)];
    let mut session = session(draw, policy)?;
    let clock = Clock::steady();
    let (mut serving, mut wires) = (Serving::new(&clock), Wires::new());
    let mut expected = 0_u32;
    while tally.cases < cases {
        wires.turn(draw);
        for _ in 0..1 + draw.below(5) {
            if serve(&mut serving, &mut session, &clock, &mut wires) != 0 {
                return Err("a period on time counts as missed".to_owned());
            }
        }
        // The clock is shortly after the beginning of a period; the next one may be late, but it is not missed.
        let periods = 1 + draw.bits() % 50;
        clock.pass((periods + 1) * PERIOD + draw.bits() % (PERIOD / 2));
        let missed = serve(&mut serving, &mut session, &clock, &mut wires);
        tally.cases += 1;
        tally.add("periods missed", missed.into());
        expected = expected.wrapping_add(periods);
        let supervision = session.supervision();
        if missed != periods || supervision.counters.missed != expected {
            return Err(format!(
                "{periods} periods missed, {missed} counted: {supervision:?}"
            ));
        }
        if supervision.safe != (policy == Policy::Safe) || !wires.finite {
            return Err(format!("{policy:?}, but {supervision:?}"));
        }
    }
    Ok(())
}

/// Periods on time, of one plant without a restart. The controller does what it likes: inputs jump from end to end.
pub fn clean(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    let mut session = session(draw, Policy::KeepBest)?;
    let clock = Clock::steady();
    let (mut serving, mut wires) = (Serving::new(&clock), Wires::new());
    while tally.cases < cases {
        wires.jump(draw);
        for _ in 0..draw.log(0.0, 3.0) as u32 {
            serve(&mut serving, &mut session, &clock, &mut wires);
            tally.cases += 1;
            // The time that a board would have slept: the clock above ticks only when it is looked at.
            let now = clock.now.get() % PERIOD;
            clock.pass((PERIOD - now).saturating_sub(5));
        }
    }
    let mut counters = session.supervision().counters;
    // After a jump two iterations may not be enough, and a step that says so is no false alarm.
    let unconverged = core::mem::take(&mut counters.unconverged);
    tally.add("unconverged", unconverged.into());
    if counters != Counters::default() || !wires.finite {
        let plant = session.rig().about().plant;
        return Err(format!("{plant}: an alarm without a cause: {counters:?}"));
    }
    Ok(())
}

/// Clocks that do what they like.
pub fn clocks(draw: &mut Draw, cases: u64, tally: &mut Tally) -> Result<(), String> {
    let policy = [Policy::KeepBest, Policy::Hold][draw.below(2)];
    let mut session = session(draw, policy)?;
    let seed = u64::from(draw.bits());
    let clock = Clock {
        now: Cell::new(draw.bits()),
        hand: Hand::Mad(RefCell::new(Draw::new(seed))),
    };
    let (mut serving, mut wires) = (Serving::new(&clock), Wires::new());
    let before = session.rig().steps();
    while tally.cases < cases {
        if draw.one_in(20) {
            wires.turn(draw);
        }
        // As often as a loop would ask: a clock that stands still begins no period.
        for _ in 0..20 {
            if let Some(missed) = serving.turn(&mut session, &clock, &mut wires) {
                tally.note("periods served");
                tally.add("periods missed", missed.into());
            }
        }
        drain(&mut session);
        tally.cases += 1;
        if !wires.finite {
            return Err("an output is not finite".to_owned());
        }
    }
    let counters = session.supervision().counters;
    tally.add("shortened", counters.shortened.into());
    if counters.failed > 0 || session.rig().steps() == before {
        return Err(format!("steps fail by the clock: {counters:?}"));
    }
    Ok(())
}
