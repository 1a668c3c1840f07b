//! The pendulum's published states, and runs to compare with them.
//!
//! States of the rigid pendulum are exact, by elliptic functions; those of the stiff one were computed with 36 digits from
//! starting values on the slow manifold, which for eps <= 1e-4 is level and at rest to the last digit of f64.

use crate::{Go, until};
use stiffstep::prelude::*;
use stiffstep::step::Method;
use stiffstep_plants::pendulum::StiffPendulum;

/// q_1, q_2, v_1, v_2 of a pendulum that was level and at rest at t = 0, and its tension over its length.
pub type State = [f64; 5];

/// The rigid pendulum at t = 5.
pub const RIGID_5: State = rigid([
    -0.685_344_871_278_748_4,
    -0.728_218_653_573_166_6,
    0.878_835_712_874_84,
    -0.827_094_370_022_009_7,
]);

/// The pendulum with eps = 1e-2 at t = 5.
pub const SOFT_5: State = [
    -0.686_164_058_058_930_4,
    -0.727_746_814_423_115_2,
    0.877_476_206_867_531_5,
    -0.827_679_177_115_608_6,
    2.182_464_216_953_713,
];

/// The pendulum with eps = 1e-3 at t = 5.
pub const SOFTER_5: State = [
    -0.685_353_070_126_095,
    -0.728_213_937_343_681_5,
    0.878_822_114_962_691,
    -0.827_100_231_117_111_7,
    2.184_634_039_413_997,
];

/// The pendulum with eps = 1e-4 at t = 5.
pub const LESS_STIFF_5: State = [
    -0.685_344_953_267_920_1,
    -0.728_218_606_411_088_4,
    0.878_835_576_895_433_9,
    -0.827_094_428_634_264,
    2.184_655_741_506_059,
];

/// The pendulum with eps = 1e-5 at t = 5.
pub const STIFF_5: State = [
    -0.685_344_872_098_640_3,
    -0.728_218_653_101_545_9,
    0.878_835_711_515_045_9,
    -0.827_094_370_608_132_4,
    2.184_655_958_527_365_7,
];

/// The pendulum with eps = 1e-5 at t = 20.
pub const STIFF_20: State = [
    -0.517_719_707_439_294_5,
    -0.855_550_293_695_409_5,
    1.119_137_155_646_086_3,
    -0.677_224_197_429_8,
    2.566_650_880_127_459,
];

/// The rigid pendulum's tension is -3 q_2.
const fn rigid([q1, q2, v1, v2]: [f64; 4]) -> State {
    [q1, q2, v1, v2, -3.0 * q2]
}

/// As exact as the stage equations can be solved in double precision.
pub const TIGHT: Until<f64> = until(1e-14, 30);

/// Level and at rest.
pub fn level<R: Real>() -> (Vector<R, 2>, Vector<R, 2>) {
    ([R::ONE, R::ZERO].into(), [R::ZERO; 2].into())
}

/// A method that steps a pendulum.
pub trait Swings<M, Kind>:
    Method<
        M,
        Kind,
        Real = f64,
        Start = (Vector<f64, 2>, Vector<f64, 2>),
        Stepper: Stepper<Real = f64, Model = M, State = Motion<f64, 2, 1>>,
    >
{
}
impl<M, Kind, K> Swings<M, Kind> for K
where
    K: Method<M, Kind, Real = f64, Start = (Vector<f64, 2>, Vector<f64, 2>)>,
    K::Stepper: Stepper<Real = f64, Model = M, State = Motion<f64, 2, 1>>,
{
}

/// The state after `steps` steps of size `h` from a level start, with every stage solved as exactly as can be.
pub fn integrate<M, Kind, K: Swings<M, Kind>>(
    model: M,
    method: K,
    h: f64,
    steps: usize,
) -> Result<Motion<f64, 2, 1>, Error> {
    let mut pendulum = Simulation::new(model, method, h, level())?.with_budget(TIGHT);
    pendulum.go(steps as u32)?;
    Ok(*pendulum.state())
}

/// The largest errors of q, v and lambda. Both pendulums' multipliers become the tension over the length: the stiff one's
/// gradient is a unit vector, the rigid one's is q itself, and its length is one.
pub fn errors<R: Real>(at: &Motion<R, 2, 1>, expected: &State) -> [f64; 3] {
    let [q1, q2] = at.q.data.0[0].map(R::to_f64);
    let [v1, v2] = at.v.data.0[0].map(R::to_f64);
    let difference = |a: f64, b: f64| (a - b).abs();
    [
        difference(q1, expected[0]).max(difference(q2, expected[1])),
        difference(v1, expected[2]).max(difference(v2, expected[3])),
        difference(at.lambda[0].to_f64() / q1.hypot(q2), expected[4]),
    ]
}

/// The errors of q, v and lambda at t = 5, of a run with so many steps and of one with twice as many.
pub fn halved(
    run: impl Fn(f64, usize) -> Result<Motion<f64, 2, 1>, Error>,
    expected: &State,
    steps: usize,
) -> Result<[[f64; 3]; 2], Error> {
    let at = |steps: usize| run(5.0 / steps as f64, steps).map(|end| errors(&end, expected));
    Ok([at(steps)?, at(2 * steps)?])
}

/// A run of the stiff pendulum of Jay & Petzold's section 5: eps = 1e-5, a thousand times less than h = 0.01, to t = 20.
#[derive(Clone, Debug)]
pub struct StiffRun {
    /// The lowest and the highest energy on the way.
    pub energy: [f64; 2],
    /// The iterations of a step, in the mean.
    pub mean: f64,
    /// The iterations of the step that took most.
    pub most: u8,
    /// How often the radial velocity changed its sign from one step to the next.
    pub alternations: usize,
    /// Steps that were taken: 2000, or fewer if one of them failed.
    pub steps: usize,
    /// The last state.
    pub end: Motion<f64, 2, 1>,
    /// The state after every step, with the energy: the start first.
    pub path: Vec<(Motion<f64, 2, 1>, f64)>,
}

impl StiffRun {
    /// How many steps lead to t = 20.
    pub const STEPS: usize = 2000;

    /// Their size.
    pub const H: f64 = 0.01;

    /// The run from rest, with the spring stretched by so much. Not stretched at all is the smooth start: its
    /// `1 - 3 eps^4` is 1 to the last digit of f64.
    pub fn new<Kind, K>(method: K, stretch: f64, budget: Until<f64>) -> Result<Self, Error>
    where
        K: Swings<StiffPendulum<f64>, Kind>,
    {
        let model = StiffPendulum::new(1e-5);
        let (mut q, v) = level();
        q[0] += stretch;
        let mut pendulum = Simulation::new(model, method, Self::H, (q, v))?.with_budget(budget);
        let start = model.energy(pendulum.state());
        let mut run = StiffRun {
            energy: [start, start],
            mean: 0.0,
            most: 0,
            alternations: 0,
            steps: 0,
            end: *pendulum.state(),
            path: vec![(*pendulum.state(), start)],
        };
        let mut iterations = 0;
        while run.steps < Self::STEPS {
            let Ok(report) = pendulum.step() else { break };
            let at = *pendulum.state();
            let energy = model.energy(&at);
            run.energy = [run.energy[0].min(energy), run.energy[1].max(energy)];
            iterations += u32::from(report.iterations);
            run.most = run.most.max(report.iterations);
            run.alternations += usize::from(at.q.dot(&at.v) * run.end.q.dot(&run.end.v) < 0.0);
            run.steps += 1;
            run.end = at;
            run.path.push((at, energy));
        }
        run.mean = f64::from(iterations) / run.steps as f64;
        Ok(run)
    }

    /// The largest deviation of the energy from zero, which is that of the smooth motion to rounding.
    pub fn deviation(&self) -> f64 {
        self.energy[1].max(-self.energy[0])
    }
}
