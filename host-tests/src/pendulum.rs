//! The pendulum's published states, and runs to compare with them.
//!
//! States of the rigid pendulum are exact, by elliptic functions; those of the stiff one were computed with 36 digits from
//! starting values on the slow manifold, which for eps <= 1e-4 is level and at rest to the last digit of f64.

use stiffstep::prelude::*;
use stiffstep::step::Method;

/// q_1, q_2, v_1, v_2 of a pendulum that was level and at rest at t = 0, and its tension over its length.
pub type State = [f64; 5];

/// The rigid pendulum at t = 5.
pub const RIGID_5: State = rigid([
    -0.685_344_871_278_748_4,
    -0.728_218_653_573_166_6,
    0.878_835_712_874_84,
    -0.827_094_370_022_009_7,
]);

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
pub const TIGHT: Until<f64> = Until {
    tolerance: 1e-14,
    max: 30,
};

/// Level and at rest.
pub fn level<R: Real>() -> (Vector<R, 2>, Vector<R, 2>) {
    (
        Vector::from([R::ONE, R::ZERO]),
        Vector::from([R::ZERO, R::ZERO]),
    )
}

/// The state after `steps` steps of size `h` from a level start, with every stage solved as exactly as can be.
pub fn integrate<M, Kind, K>(
    model: M,
    method: K,
    h: f64,
    steps: usize,
) -> Result<Motion<f64, 2, 1>, Error>
where
    K: Method<M, Kind, Real = f64, Start = (Vector<f64, 2>, Vector<f64, 2>)>,
    K::Stepper: Stepper<Real = f64, Model = M, State = Motion<f64, 2, 1>>,
{
    let mut pendulum = Simulation::new(model, method, h, level())?.with_budget(TIGHT);
    for _ in 0..steps {
        pendulum.step()?;
    }
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
