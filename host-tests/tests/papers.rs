//! The experiments of the five papers: every published figure is met, within what it allows.

use stiffstep::manifold::Ending;
use stiffstep_host_tests::experiments::{
    ariel, jay_petzold, lubich, precision, schropp, wunderlich,
};
use stiffstep_host_tests::figures::Comparison;
use stiffstep_plants::double_spring::OFF;

type Held = Result<(), Box<dyn std::error::Error>>;

fn assert_all(all: &[Comparison]) {
    assert!(!all.is_empty(), "nothing is compared");
    for comparison in all {
        comparison.assert();
    }
}

#[test]
fn jay_petzold_the_smooth_motion() -> Held {
    jay_petzold::smooth()?.1.assert();
    Ok(())
}

#[test]
fn jay_petzold_a_perturbed_start() -> Held {
    assert_all(&jay_petzold::perturbed()?.table);
    Ok(())
}

#[test]
fn jay_petzold_methods_that_fail() -> Held {
    assert_all(&jay_petzold::failing()?);
    Ok(())
}

#[test]
fn jay_petzold_orders() -> Held {
    jay_petzold::rigid_orders()?.assert();
    Ok(())
}

#[test]
fn schropp_the_pendulum() -> Held {
    let effort = schropp::pendulum()?;
    effort.table.assert();
    assert_all(&effort.saved);
    schropp::pendulum_levels(&effort).assert();
    Ok(())
}

#[test]
fn schropp_andrews_mechanism() -> Held {
    let effort = schropp::andrews()?;
    effort.table.assert();
    assert_all(&effort.saved);
    for [free, projected] in &effort.runs {
        assert!(projected.error < free.error, "projection is more exact");
        // Rounding at velocities of a thousand; the twice differentiated constraint belongs to projected values, too.
        assert!(projected.defect(1) < 1e-13 && projected.defect(1) < 1e-6 * free.defect(1));
        assert!(projected.defect(2) < 1e-6 * free.defect(2));
    }
    for way in 0..2 {
        let (coarse, fine) = (effort.runs[0][way].error, effort.runs[3][way].error);
        assert!(fine < coarse / 100.0, "{fine:e}, {coarse:e}");
    }
    Ok(())
}

#[test]
fn schropp_fixed_steps() -> Held {
    schropp::fixed_orders()?.assert();
    schropp::fixed_errors()?.assert();
    Ok(())
}

#[test]
fn lubich_orders_and_damping() -> Held {
    lubich::stiff_orders()?.assert();
    assert_all(&lubich::eps_squared()?);
    lubich::damping()?.assert();
    Ok(())
}

#[test]
fn lubich_newton_matrices() -> Held {
    let (table, bounds) = lubich::newton_table()?;
    table.assert();
    assert_all(&bounds);
    Ok(())
}

#[test]
fn ariel_table_1_and_slow_points() -> Held {
    for (omega, table) in ariel::table_1()? {
        table.assert();
        assert_eq!(ariel::project(omega, 10, OFF)?.ending, Ending::Settled);
    }
    assert_all(&ariel::slow_points()?);
    Ok(())
}

#[test]
fn ariel_slow_solutions() -> Held {
    assert_all(&ariel::saturation([
        &|omega, k| ariel::adaptive(omega, false, k),
        &|omega, k| ariel::adaptive(omega, true, k),
        &ariel::projected,
    ])?);
    ariel::runge_kutta_errors()?.assert();
    assert_all(&ariel::orders()?);
    Ok(())
}

#[test]
fn wunderlich_tables() -> Held {
    wunderlich::table_1()?.assert();
    wunderlich::table_2()?.assert();
    Ok(())
}

#[test]
fn wunderlich_figures() -> Held {
    for pair in [
        wunderlich::fig_2()?,
        wunderlich::fig_3()?,
        wunderlich::fig_4()?,
        wunderlich::fig_5()?,
        wunderlich::fig_6()?,
        wunderlich::fig_7()?,
    ] {
        assert_all(&pair.table);
    }
    wunderlich::fig_8()?.table.assert();
    Ok(())
}

#[test]
fn single_precision_multipliers() -> Held {
    precision::multipliers()?.1.assert();
    Ok(())
}

#[test]
fn a_thousand_seconds_keep_to_the_rod() -> Held {
    precision::long_double()?.assert();
    precision::long_single()?.assert();
    Ok(())
}
