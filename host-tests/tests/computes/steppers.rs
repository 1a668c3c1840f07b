//! What the documentation says of steppers is what the compiler says: the guide's table, what is refused and why, the template.

use crate::machine::{Angle, Bead, Rod, Spring, Trough};
use std::fs;
use std::marker::PhantomData;
use stiffstep::drive::Paced;
use stiffstep::memory::Memory;
use stiffstep::prelude::*;
use stiffstep::slow::SlowStepper;
use stiffstep::step::{
    Dense, FirstOrderStepper, GeneralLinearStepper, HessenbergStepper, MechanicalStepper,
    MultistepStepper, PairStepper, PotentialStepper, Remember, Restart,
};
use stiffstep_host_tests::emulator::firmware::{cargo, workspace};
use stiffstep_plants::papers::Wunderlich;

/// Whether a type implements a trait, as a constant: the inherent one where it does, the trait's where it does not.
macro_rules! implements {
    ($type:ty: $($bound:tt)+) => {{
        struct Probe<T>(PhantomData<T>);
        #[allow(dead_code)]
        trait No {
            const FOUND: bool = false;
        }
        impl<T> No for Probe<T> {}
        #[allow(dead_code)]
        impl<T: $($bound)+> Probe<T> {
            const FOUND: bool = true;
        }
        <Probe<$type>>::FOUND
    }};
}

/// What the guide's table says of a stepper, asked of the compiler: step, change, restart, snapshot, dense output, adaptive, events, rig.
macro_rules! row {
    ($name:literal $type:ty) => {
        (
            $name,
            [
                implements!($type: Stepper),
                implements!($type: Stepper),
                implements!($type: Restart),
                implements!($type: Memory),
                implements!($type: Dense),
                implements!($type: Paced),
                implements!($type: Dense + Restart + Clone),
                implements!($type: Dense + Remember),
            ],
        )
    };
}

/// The guide's table of what steppers do is what the compiler says.
#[test]
fn the_guides_table_is_true() {
    let table = [
        row!("FirstOrderStepper" FirstOrderStepper<f32, Angle, RadauIIA<3>, 2, 1, 3>),
        row!("MechanicalStepper" MechanicalStepper<f32, Spring, RadauIIA<3>, 2, 1, 1, 3>),
        row!("HessenbergStepper" HessenbergStepper<f32, Rod, RadauIIA<3>, 2, 2, 1, 1, 3>),
        row!("PotentialStepper" PotentialStepper<f32, Trough, RadauIIA<3>, 2, 1, 1, 3>),
        row!("PairStepper" PairStepper<f32, Spring, 2, 1, 1, 2>),
        row!("MultistepStepper" MultistepStepper<f32, Bead, Bdf<3>, 3, 1>),
        row!("GeneralLinearStepper" GeneralLinearStepper<f32, Bead, Wunderlich, 3, 1, 3, 3>),
        row!("SlowStepper" SlowStepper<f32, Spring, 2, 1, 1, 18>),
    ];
    let page = fs::read_to_string(workspace().join("src/guide/steppers.md")).unwrap();
    for (name, found) in table {
        let start = format!("| `{name}` |");
        let line = page.lines().find(|line| line.starts_with(&start)).unwrap();
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let said: Vec<bool> = cells[4..12].iter().map(|cell| *cell == "yes").collect();
        assert_eq!(said, found, "{name}");
    }
    let refused = table
        .iter()
        .flat_map(|row| row.1)
        .filter(|yes| !yes)
        .count();
    assert!(refused <= 14, "{refused} refused");
}

/// What the compiler says of a program that uses the library; `None` if nothing.
fn compiled(name: &str, text: &str) -> Option<String> {
    let folder = workspace().join("target/outside").join(name);
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n\
         stiffstep = {{ path = {:?}, features = [\"hil\"] }}\nstiffstep-plants = {{ path = {:?} }}\n",
        workspace(),
        workspace().join("host-tests/plants"),
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::copy(workspace().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    fs::write(folder.join("src/lib.rs"), text).unwrap();
    let target = workspace().join("target/outside/target");
    let mut check = cargo();
    check.args(["check", "--offline", "--quiet"]);
    check.current_dir(&folder).env("CARGO_TARGET_DIR", target);
    let output = check.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (!output.status.success()).then_some(said)
}

/// What the table refuses the compiler refuses, with the reason.
#[test]
fn refusals_give_their_reason() {
    let text = r#"
        #![allow(dead_code)]
        use stiffstep::manifold::Ipa;
        use stiffstep::prelude::*;
        use stiffstep_plants::{exponentials::Exponentials, pendulum::StiffPendulum, valley::Valley};
        fn hessenberg(x: Vector<f64, 2>) {
            let _ = Adaptive::new(Exponentials, RadauIIA::<3>, 1e-6, 1e-3, (x, x));
        }
        fn potential(x: Vector<f64, 2>) {
            let _ = Adaptive::new(Valley::<f64, 1>::new(1e-2), RadauIIA::<3>, 1e-6, 1e-3, (x, x));
        }
        fn pair(x: Vector<f64, 2>) {
            let _ = Adaptive::new(StiffPendulum::new(1e-2), LobattoPair::<2>, 1e-6, 1e-3, (x, x));
        }
        fn slow(x: Vector<f64, 2>) {
            let _ = Adaptive::new(StiffPendulum::new(1e-2), RungeKutta4Ipa(Ipa::new(1e2)), 1e-6, 1e-3, (x, x));
        }
    "#;
    let said = compiled("refused", text).unwrap();
    for kind in ["OnHessenberg", "OnPotential", "OnPair", "OnSlow"] {
        let reason = |line: &str| {
            line.starts_with("error")
                && line.contains(kind)
                && line.contains("has no estimate of its error")
        };
        assert!(said.lines().any(reason), "{kind}: {said}");
    }
    let note = "an `Adaptive` takes first-order and mechanical models";
    assert!(said.contains(note), "{said}");
}

/// Another method in the template is another word in one place.
#[test]
fn the_templates_method_is_one_word() {
    let template = workspace().join("host-tests/tool/template/src/lib.rs");
    let template = fs::read_to_string(template).unwrap();
    assert!(template.lines().count() <= 105);
    assert_eq!(template.matches("RadauIIA::<3>").count(), 1);
    let outer = |line: &&str| !line.starts_with("//!") && !line.starts_with("#![");
    let template: Vec<&str> = template.lines().filter(outer).collect();
    let template = template.join("\n");
    let methods = "RadauIIA::<2> Gauss::<2> LobattoIIIA::<3> LobattoPair::<2> Lean(RadauIIA::<3>)";
    let mut text = String::new();
    for (n, method) in methods.split(' ').enumerate() {
        let changed = template.replace("RadauIIA::<3>", method);
        text += &format!("pub mod with_{n} {{\n{changed}\n}}\n");
    }
    assert_eq!(compiled("methods", &text), None);
}

/// The smallest program, which the documentation shows and runs, is small.
#[test]
fn the_smallest_program_has_twelve_lines() {
    let page = fs::read_to_string(workspace().join("src/model/first_order.rs")).unwrap();
    let shown = page.split("The smallest program:\n///\n/// ```\n").nth(1);
    let program = shown.and_then(|rest| rest.split("/// ```").next()).unwrap();
    assert!(program.contains("fn main()"), "{program}");
    let lines = program.lines().count();
    assert!(lines <= 12, "{lines} lines");
}
