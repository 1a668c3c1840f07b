//! Two inertias on an elastic shaft, by exact maps.

use crate::number::{Complex, Field, Real, Scalar};
use crate::switched::dense::exponential_less_one;

/// Motor and load on an elastic shaft.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shaft<R> {
    /// Of the motor, in kg m^2.
    pub motor: R,
    /// Of the load, in kg m^2.
    pub load: R,
    /// In N m / rad.
    pub stiffness: R,
    /// In N m s / rad.
    pub damping: R,
    /// Friction of the motor's bearings, in N m s / rad.
    pub friction: R,
    /// Torque of the load a square of its speed, in N m s^2.
    pub fan: R,
}

/// States: the motor's speed, how much faster it is than the load, the twist, the electrical angle. Differences are states, so that
/// the twist of a stiff shaft is no difference of large angles.
pub(super) const STATES: usize = 4;

/// Columns of the exponential: the states, the motor's torque, its rise, the load's torque, the rise of the rise.
const COLUMNS: usize = 8;

/// The exact change over a time: by the first three states, by mean, slope and bend of the motor's torque, by the load's
/// torque.
#[derive(Clone, Copy, Debug)]
pub(super) struct Map<R> {
    pub states: [[R; 3]; STATES],
    pub torque: [[R; 3]; STATES],
    pub load: [R; STATES],
}

impl<R: Real> Shaft<R> {
    pub(super) fn is_valid(&self) -> bool {
        let finite = |x: R| x.finite() && x >= R::ZERO;
        let rest = [self.stiffness, self.damping, self.friction, self.fan];
        let inertias = [self.motor, self.load];
        inertias.iter().all(|x| finite(*x) && *x > R::ZERO) && rest.into_iter().all(finite)
    }

    /// The shaft that swings in steps of `h` by [`RungeKutta4`](crate::mild::RungeKutta4) as this one does in time: of a
    /// [`Drive`](super::Drive) for that method.
    ///
    /// The method turns a swing of angular frequency w by `h w - (h w)^5 / 120` a step. Stiffness and damping are changed a little, by
    /// `(h w)^4 / 60` and less, so that what the method makes of them is exact, phase and amplitude: `R(h l') = exp(h l)` for the eigenvalues l of the
    /// motor against the load. A shaft that does not swing, or by more than a radian a step, is left as it is.
    pub fn fitted(mut self, h: R) -> Self {
        let f = |x: R| x.to_f64();
        let both = 1.0 / f(self.motor) + 1.0 / f(self.load);
        let decay = 0.5 * f(self.damping) * both;
        let square = f(self.stiffness) * both - decay * decay;
        let turn = libm::sqrt(square) * f(h);
        // Written so that NaN, too, leaves it.
        if !(turn > 0.0 && turn <= 1.0) {
            return self;
        }
        let mut z = Complex {
            re: -decay * f(h),
            im: turn,
        };
        let (re, im) = (libm::cos(turn), libm::sin(turn));
        let wanted = Complex { re, im }.scale(libm::exp(z.re));
        let one = Complex::ONE;
        // Newton's iteration: each doubles the digits, of which the first three are right.
        for _ in 0..4 {
            let slope = one + z * (one + z.scale(0.5) * (one + z.scale(1.0 / 3.0)));
            let missing = slope + (z * z * z * z).scale(1.0 / 24.0) - wanted;
            z = z - missing * slope.recip();
        }
        let per = 1.0 / (f(h) * both);
        self.damping = R::from_f64((-2.0 * z.re * per).max(0.0));
        self.stiffness = R::from_f64((z.re * z.re + z.im * z.im) * per / f(h));
        self
    }

    /// The map over a share of the step `h`. The torque's Legendre coefficients are over the whole step:
    /// `mean + slope (2 s - 1) + bend (6 s^2 - 6 s + 1)`.
    pub(super) fn map(&self, pairs: R, h: R, share: f64) -> Map<R> {
        let f = |x: R| x.to_f64();
        let (motor, load) = (1.0 / f(self.motor), 1.0 / f(self.load));
        let (k, d, friction) = (f(self.stiffness), f(self.damping), f(self.friction));
        let both = motor + load;
        let mut a = [[0.0; COLUMNS]; COLUMNS];
        a[0] = [
            -friction * motor,
            -d * motor,
            -k * motor,
            0.0,
            motor,
            0.0,
            0.0,
            0.0,
        ];
        a[1] = [
            -friction * motor,
            -d * both,
            -k * both,
            0.0,
            motor,
            0.0,
            load,
            0.0,
        ];
        a[2][1] = 1.0;
        a[3][0] = f(pairs);
        let time = f(h) * share;
        a.iter_mut().flatten().for_each(|x| *x *= time);
        // The torque's rise, a step.
        a[4][5] = share;
        a[5][7] = share;
        let e = exponential_less_one(&a, COLUMNS);
        let c = R::from_f64;
        let rows: [usize; STATES] = [0, 1, 2, 3];
        Map {
            states: rows.map(|i| [c(e[i][0]), c(e[i][1]), c(e[i][2])]),
            torque: rows.map(|i| {
                let [constant, rise, bent] = [e[i][4], e[i][5], e[i][7]];
                let bend = 12.0 * bent - 6.0 * rise + constant;
                [c(constant), c(2.0 * rise - constant), c(bend)]
            }),
            load: rows.map(|i| c(e[i][6])),
        }
    }
}

/// The same as rates, for models that are one with their shaft.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rates<R> {
    shaft: Shaft<R>,
    per_motor: R,
    per_load: R,
}

impl<R: Real> Rates<R> {
    pub fn new(shaft: Shaft<R>) -> Self {
        Rates {
            shaft,
            per_motor: R::ONE / shaft.motor,
            per_load: R::ONE / shaft.load,
        }
    }

    /// What the shaft carries, by relative speed and twist.
    #[inline(always)]
    pub fn torque<T: Scalar<R>>(&self, relative: T, twist: T) -> T {
        twist * self.shaft.stiffness + relative * self.shaft.damping
    }

    /// The rates of the motor's speed, of the relative speed and of the twist.
    #[inline(always)]
    pub fn of<T: Scalar<R>>(&self, [motor, relative, twist]: [T; 3], torque: T, load: R) -> [T; 3] {
        let held = self.torque(relative, twist);
        let motor_rate = (torque - held - motor * self.shaft.friction) * self.per_motor;
        let speed = motor - relative;
        let fan = speed * speed.abs() * self.shaft.fan;
        let load_rate = (held - fan - load) * self.per_load;
        [motor_rate, motor_rate - load_rate, relative]
    }
}
