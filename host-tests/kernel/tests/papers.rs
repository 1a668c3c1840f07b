//! The papers' experiments, and tests that share something with them.
#![allow(dead_code, unused_imports)]

extern crate self as stiffstep_host_tests;

#[path = "../../src/experiments/mod.rs"]
pub mod experiments;
#[path = "../../src/figures.rs"]
pub mod figures;
#[path = "../../src/laboratory.rs"]
pub mod laboratory;
#[path = "../../src/newton_matrices.rs"]
pub mod newton_matrices;
#[path = "../../src/order_conditions.rs"]
pub mod order_conditions;
#[path = "../../src/pendulum.rs"]
pub mod pendulum;
#[path = "../../src/reference/mod.rs"]
pub mod reference;
#[path = "../../src/second_order.rs"]
pub mod second_order;
#[path = "../../src/slow_start.rs"]
pub mod slow_start;
#[path = "../../src/stability/mod.rs"]
pub mod stability;
#[path = "../../tests/computes/ipa.rs"]
mod test_ipa;
#[path = "../../tests/computes/multistep.rs"]
mod test_multistep;
#[path = "../../tests/computes/slow_start.rs"]
mod test_slow_start;

use experiments::{ariel, jay_petzold, lubich, precision, schropp, wunderlich};
use figures::{Comparison, Grid};

type Held = Result<(), Box<dyn std::error::Error>>;

/// Values of either form.
trait Values {
    fn hold(&self);
}

impl Values for Grid {
    fn hold(&self) {
        self.assert();
    }
}

impl Values for Vec<Comparison> {
    fn hold(&self) {
        assert!(!self.is_empty(), "nothing is compared");
        for comparison in self {
            comparison.assert();
        }
    }
}

/// What `tests/papers.rs` asserts by way of the report, which takes long to build.
macro_rules! hold {
    ($($name:ident: $($values:expr),+;)+) => {$(
        #[test]
        fn $name() -> Held {
            $($values.hold();)+
            Ok(())
        }
    )+};
}

hold! {
    lubich_orders: lubich::stiff_orders()?, lubich::rigid_orders()?, lubich::eps_squared()?, lubich::higher_index()?,
        lubich::remainder()?, lubich::smooth_motion();
    lubich_damping: lubich::damping()?, lubich::floor()?;
    lubich_newton: lubich::newton_table()?.0, lubich::newton_table()?.1, lubich::potential()?;
    schropp_orders: schropp::fixed_orders()?, schropp::fixed_errors()?, schropp::radau_ia()?, schropp::local_orders()?,
        schropp::remark()?;
    jay_petzold_smooth: jay_petzold::smooth()?.1, jay_petzold::failing()?;
    jay_petzold_perturbed: jay_petzold::perturbed()?.table, jay_petzold::conjecture()?;
    jay_petzold_orders: jay_petzold::rigid_orders()?, jay_petzold::stiff_orders()?;
    jay_petzold_stability: jay_petzold::stability(), jay_petzold::lobatto()?, jay_petzold::section_4()?, jay_petzold::first_step()?;
    ariel_models: ariel::filters(), ariel::models()?, ariel::gliding()?, ariel::slow_points()?;
    ariel_slow_solutions: ariel::runge_kutta_errors()?, ariel::orders()?, ariel::saturation([
        &|omega, k| ariel::adaptive(omega, false, k),
        &|omega, k| ariel::adaptive(omega, true, k),
        &ariel::projected,
    ])?;
    wunderlich_tables: wunderlich::table_1()?, wunderlich::table_2()?, wunderlich::coefficients(), wunderlich::example_1_2()?,
        wunderlich::first_steps()?, wunderlich::rising()?;
    wunderlich_figures: wunderlich::fig_2()?.table, wunderlich::fig_3()?.table, wunderlich::fig_4()?.table,
        wunderlich::fig_5()?.table, wunderlich::fig_6()?.table, wunderlich::fig_7()?.table, wunderlich::fig_8()?.table;
    multipliers_are_as_good_as_published: precision::multipliers()?.1;
    a_thousand_seconds_keep_to_the_rod: precision::long_double()?, precision::long_single()?;
}

#[test]
fn schropp_efforts() -> Held {
    let swing = schropp::pendulum()?;
    swing.table.hold();
    swing.saved.hold();
    schropp::pendulum_levels(&swing).hold();
    schropp::third_defect(&swing).hold();
    let squeezer = schropp::andrews()?;
    squeezer.table.hold();
    squeezer.saved.hold();
    schropp::andrews_levels(&squeezer).hold();
    Ok(())
}

#[test]
fn ariel_table_1() -> Held {
    for (_, table) in ariel::table_1()? {
        table.hold();
    }
    Ok(())
}
