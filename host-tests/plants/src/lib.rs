//! Published problems as plants, without std, so that host and boards run the same text.
#![no_std]

/// A plant whose parameters are all that it remembers.
macro_rules! remembers_parameters {
    ([$($generics:tt)*] $plant:ty) => {
        impl<$($generics)*> stiffstep::memory::Memory for $plant {
            fn visit<W: stiffstep::memory::Words>(&mut self, words: &mut W) {
                stiffstep::model::visit_parameters(self, words);
            }
        }
    };
    ($plant:ty) => {
        remembers_parameters!([] $plant);
    };
}

/// Parameters of a plant, a row each: name, unit, least, most, and the field that it is.
macro_rules! parameters {
    ($(($name:literal, $unit:literal, $least:expr, $most:expr, $($field:tt)+)),* $(,)?) => {
        &[$(Parameter::new($name, $unit, $least, $most, |plant| &mut plant.$($field)+)),*]
    };
}

/// Signals of a plant: name and unit of each.
macro_rules! quantities {
    ($(($name:literal, $unit:literal)),* $(,)?) => {
        [$(Quantity::new($name, $unit)),*]
    };
}

pub mod akzo_nobel;
pub mod andrews;
pub mod arm;
pub mod car_axis;
pub mod chain;
#[cfg(all(feature = "hil", not(feature = "flash")))]
#[macro_use]
mod circuits;
#[cfg(feature = "plan")]
pub mod course;
pub mod dc_motor;
pub mod double_spring;
pub mod drive;
pub mod driven_pendulum;
#[cfg(all(feature = "hil", feature = "benchmark"))]
pub mod exercise;
pub mod exponentials;
pub mod half_bridge;
pub mod hires;
pub mod known_solution;
pub mod nonlinear;
pub mod operands;
pub mod papers;
pub mod pendulum;
#[cfg(feature = "hil")]
pub mod power;
pub mod rectifier;
#[cfg(feature = "hil")]
pub mod rigs;
pub mod rlc;
pub mod robertson;
pub mod second_order;
pub mod slider_crank;
#[cfg(feature = "hil")]
mod tables;
pub mod transistor_amplifier;
pub mod valley;
pub mod van_der_pol;
#[cfg(feature = "benchmark")]
pub mod workload;
