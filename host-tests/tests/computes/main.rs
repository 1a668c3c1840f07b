//! What computes on this machine, in one binary: linking fifty took minutes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[macro_use]
mod plants;

mod adaptive;
mod affine;
mod bad_input;
mod budgets;
mod events;
mod first_order;
mod general_linear;
mod hessenberg;
mod hil_live;
mod hil_memory;
mod hil_outputs;
mod hil_pins;
mod hil_protocol;
mod hil_session;
mod ipa;
mod ipa_limits;
mod ipa_models;
mod layers;
mod linear;
mod machine;
mod map;
mod mechanical_change;
mod mechanical_errors;
mod mechanical_newton;
mod mechanical_problems;
mod mechanical_single;
mod multistep;
mod numbers;
mod order_conditions;
mod papers;
mod partitioned;
mod plan;
mod potential;
mod published;
mod readme;
mod reference;
mod report;
mod second_order_errors;
mod sine;
mod slow_start;
mod sparsity;
mod stability;
mod steppers;
mod stiffness;
mod tableau;
mod time;
mod tolerances;
mod tolerances_descriptor;
mod tolerances_published;
mod variable;
mod verdicts;
mod verdicts_rounding;
