//! The benchmark: its problems and where they end, computed with far more digits than any run here keeps ([`end`]); what peers
//! need for them, recorded ([`peers`]) and run ([`rivals`]), what we may need ([`budgets`]) and what we do ([`rows`]).

pub mod budgets;
pub mod chains;
pub mod peers;
pub mod rivals;
pub mod rows;

use crate::emulator::record::number;
use stiffstep_plants::van_der_pol;
use stiffstep_plants::workload::{CHAINS_ALONE, Record, Workload, workloads};

/// P1 with eps = 1e-3 at t = 1: positions and velocities.
pub const P1_SOFT: [f64; 4] = [
    0.879_549_671_912_560_5,
    -0.475_810_077_125_634_2,
    -0.464_154_163_190_348_3,
    -0.858_008_758_403_339_9,
];

/// P1 with eps = 1e-5 at t = 1.
pub const P1_STIFF: [f64; 4] = [
    0.879_548_132_565_839_6,
    -0.475_809_922_958_139_1,
    -0.464_157_358_531_210_6,
    -0.858_008_037_394_669,
];

/// P2 at t = 1.
pub const P2: [f64; 4] = [
    0.879_548_132_411_890_3,
    -0.475_809_922_942_718_7,
    -0.464_157_358_850_987_3,
    -0.858_008_037_322_435_9,
];

/// P3 at t = 7: voltage and current.
pub const P3: [f64; 2] = [0.910_627_280_618_087_1, 0.031_660_168_667_634_9];

/// P3 with the larger resistance.
pub const P3_STIFF: [f64; 2] = [0.003_294_282_805_074_924, 0.000_469_851_633_19];

/// The ladder of ten states at t = 7, its first ones.
pub const LADDER_10: [f64; 4] = [
    0.916_584_146_015_133_2,
    0.874_935_764_959_766_4,
    0.746_403_564_427_431,
    0.673_412_369_958_947_5,
];

/// Those of twenty and of thirty states, whose ends are too far away to matter yet.
pub const LADDER: [f64; 4] = [
    0.917_010_264_798_455_6,
    0.873_939_214_222_353_6,
    0.749_037_757_705_224,
    0.666_739_822_187_96,
];

/// P4 with K = 1e5 at t = 0.1: positions of links and motors.
pub const P4_SOFT: [f64; 4] = [
    0.012_251_738_979_306,
    0.001_980_334_247_626,
    0.012_372_115_826_875,
    0.002_010_453_268_878,
];

/// P4 with K = 1e6 at t = 0.1.
pub const P4_STIFF: [f64; 4] = [
    0.012_252_951_615_743,
    0.001_980_535_974_357,
    0.012_264_852_287_812,
    0.001_983_512_926_160,
];

/// Where a plant of the benchmark ends: its first states. `None` for a plant that is none of these.
pub fn end(plant: &str) -> Option<&'static [f64]> {
    Some(match plant {
        "P1 eps 1e-3" | "method P1" | "adaptive P1" => &P1_SOFT,
        "P1 eps 1e-5" => &P1_STIFF,
        "P2" | "method P2" | "adaptive P2" => &P2,
        "P4 K 1e5 lean" | "P4 K 1e5 full" => &P4_SOFT,
        "P4 K 1e6 lean" | "P4 K 1e6 full" => &P4_STIFF,
        "P3 DAE" | "P3 DAE map" => &P3,
        "P3 stiff ODE" => &P3_STIFF,
        "P3 map 10" => &LADDER_10,
        "P3 map 20" | "P3 map 30" => &LADDER,
        "adaptive van der Pol" => &van_der_pol::END,
        _ => return None,
    })
}

/// The largest error of a run's end; infinite if it did not get there.
pub fn error(plant: &str, scalar: &str, record: &Record) -> f64 {
    let complete = workloads()
        .any(|workload| workload.plant == plant && [0, record.steps].contains(&workload.steps));
    match end(plant) {
        Some(end) if complete && record.states >= end.len() => {
            let states = record.final_state().iter().zip(end);
            let errors = states.map(|(&bits, exact)| (number(bits, scalar) - exact).abs());
            // In this order a NaN is the largest: it must not pass for a small error.
            errors.max_by(f64::total_cmp).unwrap_or(0.0)
        }
        _ => f64::INFINITY,
    }
}

/// The workload of that plant, number type and method.
pub fn workload(plant: &str, scalar: &str, method: &str) -> Option<&'static Workload> {
    workloads().chain(&CHAINS_ALONE).find(|workload| {
        (workload.plant, workload.scalar, workload.method) == (plant, scalar, method)
    })
}
