//! Two inertias on an elastic shaft, by exact maps.

use super::ServoError;
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
    pub fn new(shaft: Shaft<R>) -> Result<Self, ServoError> {
        if !shaft.is_valid() {
            return Err(ServoError::Shaft);
        }
        Ok(Rates {
            shaft,
            per_motor: R::ONE / shaft.motor,
            per_load: R::ONE / shaft.load,
        })
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

#[cfg(test)]
mod tests {
    use super::{Rates, ServoError, Shaft};
    use crate::electric::by_hand::{SHAFT, with};

    /// Torques by Newton's law for each of the two inertias, the fan against the load's speed in either direction.
    #[test]
    fn rates_are_torques_over_inertias() -> Result<(), ServoError> {
        let rates = Rates::new(SHAFT)?;
        for (motor, load) in [(3.0, 5.0), (5.0, 3.0), (-5.0, -2.0), (1.0, -2.0)] {
            let (twist, torque, against) = (0.5, 7.0, 1.5);
            let carried = 24.0 * twist + 0.75 * (motor - load);
            assert_eq!(rates.torque(motor - load, twist), carried);
            let motor_rate = (torque - 0.25 * motor - carried) / 0.5;
            let fan = if load > 0.0 {
                load * load / 8.0
            } else {
                -load * load / 8.0
            };
            let load_rate = (carried - fan - against) / 2.0;
            let [a, b, c] = rates.of([motor, motor - load, twist], torque, against);
            assert_eq!(
                [a, b, c],
                [motor_rate, motor_rate - load_rate, motor - load]
            );
        }
        Ok(())
    }

    /// The map over a part of a step is what many small steps of the rates end with, under a torque that is a parabola.
    #[test]
    fn the_map_is_the_solution() -> Result<(), ServoError> {
        let (h, pairs, share) = (0.4, 3.0, 0.75);
        let rates = Rates::new(Shaft { fan: 0.0, ..SHAFT })?;
        let (mean, slope, bend, against) = (2.0, -1.5, 0.75, 0.5);
        let slopes = |t: f64, x: [f64; 4]| {
            let s = t / h;
            let torque = mean + slope * (2.0 * s - 1.0) + bend * (6.0 * s * s - 6.0 * s + 1.0);
            let [a, b, c] = rates.of([x[0], x[1], x[2]], torque, against);
            [a, b, c, pairs * x[0]]
        };
        let start = [1.0, -0.5, 0.25, 0.0];
        let (mut x, n) = (start, 2000);
        let dt = h * share / f64::from(n);
        for step in 0..n {
            let t = f64::from(step) * dt;
            let plus = |k: [f64; 4], by: f64| core::array::from_fn(|i| x[i] + by * k[i]);
            let a = slopes(t, x);
            let b = slopes(t + dt / 2.0, plus(a, dt / 2.0));
            let c = slopes(t + dt / 2.0, plus(b, dt / 2.0));
            let d = slopes(t + dt, plus(c, dt));
            x = core::array::from_fn(|i| x[i] + dt / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]));
        }
        let map = SHAFT.map(pairs, h, share);
        for i in 0..4 {
            let by_state: f64 = (0..3).map(|k| map.states[i][k] * start[k]).sum();
            let [a, b, c] = map.torque[i];
            let by_torque = a * mean + b * slope + c * bend;
            let end = start[i] + by_state + by_torque - map.load[i] * -against;
            assert!((end - x[i]).abs() < 1e-12, "{i}: {end} {}", x[i]);
        }
        Ok(())
    }

    /// A step of the classical method multiplies the fitted shaft's swing by what time does to that of the shaft as it is: the matrix of the
    /// step has the trace and the determinant of the exact one.
    #[test]
    fn a_fitted_shaft_swings_exactly() {
        let h = 0.1;
        let fitted = SHAFT.fitted(h);
        let both = 1.0 / 0.5 + 1.0 / 2.0;
        let rates = |[relative, twist]: [f64; 2]| {
            let carried = fitted.stiffness * twist + fitted.damping * relative;
            [-carried * both, relative]
        };
        // The series of the exponential up to the fourth power.
        let step = |start: [f64; 2]| {
            let (mut x, mut term) = (start, start);
            for k in 1..=4 {
                term = rates(term).map(|y| y * h / f64::from(k));
                x = [x[0] + term[0], x[1] + term[1]];
            }
            x
        };
        let ([a, c], [b, d]) = (step([1.0, 0.0]), step([0.0, 1.0]));
        let decay = 0.5 * 0.75 * both;
        let w = libm::sqrt(24.0 * both - decay * decay);
        let left = libm::exp(-decay * h);
        assert!((a + d - 2.0 * left * libm::cos(w * h)).abs() < 1e-14);
        assert!((a * d - b * c - left * left).abs() < 1e-14);
        assert!((fitted.stiffness / 24.0 - 1.0).abs() < 0.01);
        assert_eq!(
            (fitted.motor, fitted.load, fitted.friction, fitted.fan),
            (0.5, 2.0, 0.25, 0.125)
        );
    }

    /// More than a radian a step, no swing at all, and no number.
    #[test]
    fn what_cannot_be_fitted_stays() {
        assert_eq!(SHAFT.fitted(0.14), SHAFT);
        assert_ne!(SHAFT.fitted(0.125), SHAFT);
        let damped = Shaft {
            damping: 8.0,
            ..SHAFT
        };
        assert_eq!(damped.fitted(0.01), damped);
        let loose = Shaft {
            stiffness: 0.0,
            damping: 0.0,
            ..SHAFT
        };
        assert_eq!(loose.fitted(0.01), loose);
    }

    /// Inertias there must be, the rest may be zero.
    #[test]
    fn a_shaft_needs_inertias() {
        let with = |change| with(SHAFT, change, Shaft::is_valid);
        assert!(SHAFT.is_valid());
        assert!(with(
            |s| (s.stiffness, s.damping, s.friction, s.fan) = (0.0, 0.0, 0.0, 0.0)
        ));
        assert!(!with(|s| s.motor = 0.0));
        assert!(!with(|s| s.load = 0.0));
        assert!(!with(|s| s.load = f64::INFINITY));
        assert!(!with(|s| s.stiffness = -1.0));
        assert!(!with(|s| s.fan = f64::NAN));
    }
}
