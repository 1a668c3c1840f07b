//! The library's tables and steps of every case, by name.

use crate::cases::{Case, ON, SCALE};
use crate::scenario::Given;
use stiffstep::memory::{Digest, Memory};
use stiffstep::number::Real;
use stiffstep::switched::{Circuit, Edge, Input, Report, Switched, SwitchedError, Tables};

/// A circuit that the library steps.
pub trait Stepped {
    /// One step.
    fn step(&mut self, given: &Given) -> Result<Report, SwitchedError>;
    /// The state.
    fn x(&self) -> Vec<f64>;
    /// Begins anew.
    fn restart(&mut self);
    /// Takes all that survives a step into a digest.
    fn digest(&mut self, digest: &mut Digest);
    /// Bytes of tables a mode, and of what survives a step.
    fn bytes(&self) -> (usize, usize);
}

/// What a step takes.
pub fn arguments<R: Real, const U: usize>(given: &Given) -> (Input<R, U>, Vec<Edge<R>>) {
    let number = |x: f32| R::from_f64(f64::from(x));
    let row = |values: &[f32]| std::array::from_fn(|i| number(values[i]));
    let input = Input {
        start: row(&given.start),
        change: row(&given.change),
    };
    let edge = |&(at, gates): &(f32, u32)| Edge {
        at: number(at),
        gates,
    };
    (input, given.edges.iter().map(edge).collect())
}

struct Stepper<R: 'static, const N: usize, const U: usize, const Y: usize, const K: usize> {
    switched: Switched<'static, R, N, U, Y, K>,
    start: Switched<'static, R, N, U, Y, K>,
    bytes: usize,
}

impl<R: Real, const N: usize, const U: usize, const Y: usize, const K: usize> Stepped
    for Stepper<R, N, U, Y, K>
{
    fn step(&mut self, given: &Given) -> Result<Report, SwitchedError> {
        let (input, edges) = arguments(given);
        self.switched.step(&input, &edges)
    }
    fn x(&self) -> Vec<f64> {
        self.switched.state().x.iter().map(|x| x.to_f64()).collect()
    }
    fn restart(&mut self) {
        self.switched = self.start;
    }
    fn digest(&mut self, digest: &mut Digest) {
        self.switched.visit(digest);
    }
    fn bytes(&self) -> (usize, usize) {
        (self.bytes, size_of_val(self.switched.state()))
    }
}

/// The tables of a case, or why there are none.
pub(crate) fn tables<
    R: Real,
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
>(
    case: &Case,
) -> Result<Box<Tables<R, N, U, Y, M, L, K>>, String> {
    let tables = case.net.circuit().build(case.scale);
    tables
        .map(Box::new)
        .map_err(|error| format!("{}: {error}", case.name))
}

fn boxed<
    R: Real,
    const N: usize,
    const U: usize,
    const Y: usize,
    const M: usize,
    const L: usize,
    const K: usize,
>(
    case: &Case,
) -> Result<Box<dyn Stepped>, String> {
    // Tables live in flash: for ever.
    let tables: &'static _ = Box::leak(tables::<R, N, U, Y, M, L, K>(case)?);
    let start = &case.given(1)[0].start;
    let inputs = std::array::from_fn(|i| R::from_f64(f64::from(start[i])));
    let switched = Switched::new(tables.view(), [R::ZERO; N], inputs);
    let switched = switched.map_err(|error| format!("{}: {error}", case.name))?;
    let bytes = tables.bytes_per_mode();
    Ok(Box::new(Stepper {
        switched,
        start: switched,
        bytes,
    }))
}

/// Calls a generic function with the sizes of a case's tables, found by name.
#[macro_export]
macro_rules! with_sizes {
    ($name:expr, $call:ident, $real:ty, $($argument:expr),*) => {
        match $name {
            "buck CCM" | "buck DCM" => $call::<$real, 2, 1, 2, 4, 0, 5>($($argument),*),
            "buck with snubber" => $call::<$real, 3, 1, 2, 4, 16, 8>($($argument),*),
            "boost with clamp" => $call::<$real, 2, 2, 3, 8, 15, 6>($($argument),*),
            "H-bridge with motor" => $call::<$real, 2, 1, 4, 25, 0, 3>($($argument),*),
            "flyback" => $call::<$real, 4, 1, 3, 8, 12, 7>($($argument),*),
            "rectifier, overlap" => $call::<$real, 4, 3, 6, 27, 0, 4>($($argument),*),
            "rectifier, discontinuous" => $call::<$real, 4, 3, 6, 27, 0, 4>($($argument),*),
            "inverter" => $call::<$real, 2, 4, 6, 125, 0, 3>($($argument),*),
            "LCL inverter" => $call::<$real, 7, 4, 6, 125, 0, 6>($($argument),*),
            name => Err(format!("no sizes for {name}")),
        }
    };
}

/// The library's stepper of a case.
pub fn stepped<R: Real>(case: &Case) -> Result<Box<dyn Stepped>, String> {
    with_sizes!(case.name, boxed, R, case)
}

/// The tables of [`half_bridge`].
pub type Half = Tables<f32, 2, 1, 2, 5, 0, 5>;

/// A half-bridge with a coil, a capacitor and a load.
pub fn half_bridge() -> Result<Half, String> {
    let circuit = Circuit::<16>::new()
        .source("in", "0")
        .bridge_leg(("in", "0"), "sw", (0, 1), ON)
        .coil("sw", "out", 100e-6)
        .capacitor("out", "0", 100e-6)
        .resistor("out", "0", 3.0);
    circuit.build(SCALE).map_err(|error| error.to_string())
}
