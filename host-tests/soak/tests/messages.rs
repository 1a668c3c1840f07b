//! What does not make sense does not compile, and the compiler says why in words of this library.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// A rigid mechanism and a lag, to be put together in the wrong way.
const MODELS: &str = "
use stiffstep::prelude::*;

pub struct Rod;
impl Mechanical<f64, 2, 1, 0> for Rod {
    type Joints = Rigid;
    type Mass<T: Scalar<f64>> = Unit;
    fn joints(&self) -> Rigid { Rigid }
    fn mass<T: Scalar<f64>>(&self, _q: &Vector<T, 2>) -> Unit { Unit }
    fn force<T: Scalar<f64>>(
        &self, _t: T, _q: &Vector<T, 2>, _v: &Vector<T, 2>, _u: &Vector<f64, 0>,
    ) -> Vector<T, 2> {
        [T::constant(0.0), T::constant(-1.0)].into()
    }
    fn constraint<T: Scalar<f64>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> {
        [q[0] * q[0] + q[1] * q[1] - 1.0].into()
    }
}

pub struct Lag;
impl FirstOrder<f64, 1, 1> for Lag {
    type Mass = Unit;
    fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 1>, u: &Vector<f64, 1>) -> Vector<T, 1> {
        [-x[0] + u[0]].into()
    }
}

pub fn level() -> (Vector<f64, 2>, Vector<f64, 2>) {
    ([1.0, 0.0].into(), [0.0; 2].into())
}
";

/// The library as cargo has just built it for this test.
fn library() -> (PathBuf, PathBuf) {
    let folder = std::env::current_exe().unwrap();
    let folder = folder.parent().unwrap().to_owned();
    let files = std::fs::read_dir(&folder).unwrap().flatten();
    let libraries = files.map(|file| file.path()).filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("libstiffstep-") && name.ends_with(".rlib")
    });
    let newest = libraries.max_by_key(|path| path.metadata().unwrap().modified().unwrap());
    (folder, newest.expect("cargo has built the library"))
}

/// What the compiler says about a function body; nothing if it compiles.
fn compiled(name: &str, body: &str) -> String {
    let (folder, library) = library();
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let source = place.join(format!("{name}.rs"));
    let text =
        format!("{MODELS}\npub fn run() -> Result<(), Error> {{\n    {body}\n    Ok(())\n}}\n");
    std::fs::write(&source, text).unwrap();
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()))
        .args("--edition 2024 --crate-type lib --emit metadata".split(' '))
        .arg("--out-dir")
        .arg(place)
        .arg("-L")
        .arg(format!("dependency={}", folder.display()))
        .arg("--extern")
        .arg(format!("stiffstep={}", library.display()))
        .arg(&source)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.success(), !said.contains("error"), "{said}");
    said
}

/// It must not compile, and these words must be among those that say why.
fn refused(name: &str, body: &str, words: &[&str]) {
    let said = compiled(name, body);
    println!("{name}:\n{said}");
    assert!(said.contains("error"), "{name} compiles");
    for words in words {
        let there = said.contains(words);
        assert!(there, "{name}: no word of `{words}` in\n{said}");
    }
}

#[test]
fn what_makes_sense_compiles() {
    // The rod on an elastic joint.
    let rod = MODELS.find("pub struct Rod").unwrap()..MODELS.find("pub struct Lag").unwrap();
    let spring = MODELS[rod]
        .replace("Rod", "Spring")
        .replace(
            "-> Rigid { Rigid }",
            "-> Elastic<f64, 1> { Elastic { stiffness: [1e6] } }",
        )
        .replace("= Rigid", "= Elastic<f64, 1>");
    let body = "
        Simulation::new(Rod, RadauIIA::<3>, 0.01, level())?;
        Simulation::new(Rod, Projected(Gauss::<3>), 0.01, level())?;
        Simulation::new(Rod, Direct(Gauss::<3>), 0.01, level())?;
        Simulation::new(Rod, LobattoIIIA::<3>, 0.01, level())?;
        Simulation::new(Spring, Gauss::<3>, 0.01, level())?;
        let (ipa, (q, v)) = (stiffstep::manifold::Ipa::<f64>::new(1e3), level());
        ipa.project(&Spring, 0.0, &q, &v, &Vector::from([]))?;
        Simulation::new(Spring, RungeKutta4Ipa(ipa), 0.01, level())?;
        Adaptive::new(Lag, RadauIIA::<3>, 1e-6, 0.01, Vector::from([1.0]))?.run_to(1.0)?;";
    let said = compiled("sense", &(spring + body));
    assert_eq!(said, "");
}

/// The number of rows that a trait asks for is named, and little else is said.
#[test]
fn a_wrong_number_of_rows_is_named() {
    let model = |rows: &str| {
        format!(
            "struct Two;
            impl FirstOrder<f64, 2, 0> for Two {{
                type Mass = Unit;
                fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 2>, _u: &Vector<f64, 0>) -> Vector<T, 2> {{
                    vector([{rows}])
                }}
            }}"
        )
    };
    assert!(!compiled("rows_right", &model("x[0], x[1]")).contains("error"));
    let said = compiled("rows_wrong", &model("x[0], x[1], x[0]"));
    let size = "expected an array with a size of 2, found one with a size of 3";
    assert!(said.contains(size), "{said}");
    assert!(said.lines().count() < 20, "{said}");
}

#[test]
fn pairs_of_method_and_model() {
    refused(
        "gauss_on_a_rod",
        "Simulation::new(Rod, Gauss::<3>, 0.01, level())?;",
        &[
            "Gauss<3>` cannot step `Rod`",
            "no such pair of method and model",
            "rigid joints need a stiffly accurate method such as `RadauIIA::<3>`, or `Projected(method)`",
        ],
    );
    refused(
        "unknown_stages",
        "Simulation::new(Rod, LobattoIIIA::<7>, 0.01, level())?;",
        &[
            "LobattoIIIA<7>` cannot step `Rod`",
            "with a number of stages it comes in",
        ],
    );
    refused(
        "no_springs",
        "Simulation::new(Rod, RungeKutta4Ipa(stiffstep::manifold::Ipa::new(1e3)), 0.01, level())?;",
        &["cannot step `Rod`"],
    );
    refused(
        "explicit_stage_of_a_hessenberg_system",
        "struct Hanging;
         impl Hessenberg<f64, 1, 1, 0, 0> for Hanging {
             fn f<T: Scalar<f64>>(&self, _u: &Vector<T, 1>, v: &Vector<T, 1>) -> Vector<T, 1> { *v }
             fn k<T: Scalar<f64>>(
                 &self, u: &Vector<T, 1>, _v: &Vector<T, 1>, _l: &Vector<T, 0>, _i: &Vector<f64, 0>,
             ) -> Vector<T, 1> { [-u[0]].into() }
             fn g<T: Scalar<f64>>(&self, _u: &Vector<T, 1>) -> Vector<T, 0> { [].into() }
         }
         let start = ([1.0].into(), [0.0].into());
         Simulation::new(Hanging, Projected(LobattoIIIA::<3>), 0.01, start)?;",
        &["cannot step `Hanging`"],
    );
    refused(
        "not_of_second_order",
        "Simulation::new(Rod, Bdf::<3>, 0.01, level())?;",
        &["Bdf<3>` cannot step `Rod`"],
    );
    refused(
        "no_model",
        "Simulation::new(3, RadauIIA::<3>, 0.01, level())?;",
        &[
            "cannot step `{integer}`",
            "a model implements `FirstOrder`, `SecondOrder`, `Mechanical`, `Hessenberg` or `Potential`",
        ],
    );
    refused(
        "no_estimate",
        "Adaptive::new(Lag, Gauss::<3>, 1e-6, 0.01, Vector::from([1.0]))?;",
        &[
            "Gauss<3>` does not estimate its error",
            "adaptive steps are taken with `RadauIIA::<3>` or `RadauIIA::<5>`",
        ],
    );
    refused(
        "no_adaptive_pair",
        "Adaptive::new(Rod, LobattoPair::<2>, 1e-6, 0.01, level())?;",
        &[
            "has no estimate of its error",
            "second-order models with any of their methods",
        ],
    );
    refused(
        "no_slow_manifold",
        "let (q, v) = level();
         stiffstep::manifold::Ipa::<f64>::new(1e3).project(&Rod, 0.0, &q, &v, &Vector::from([]))?;",
        &["joints of type `stiffstep::model::Rigid` have no springs that could ring"],
    );
}

#[test]
fn sizes_and_precisions() {
    refused(
        "start_of_another_size",
        "Simulation::new(Lag, RadauIIA::<3>, 0.01, Vector::from([1.0, 2.0]))?;",
        &["expected `1`, found `2`"],
    );
    refused(
        "start_of_another_kind",
        "Simulation::new(Rod, RadauIIA::<3>, 0.01, Vector::from([1.0, 2.0]))?;",
        &["mismatched types", "expected tuple"],
    );
    refused(
        "inputs_of_another_size",
        "Simulation::new(Lag, RadauIIA::<3>, 0.01, Vector::from([1.0]))?.input = Vector::from([1.0, 2.0]);",
        &["expected `1`, found `2`"],
    );
    refused(
        "another_precision",
        "Simulation::new(Lag, RadauIIA::<3>, 0.01_f32, Vector::from([1.0]))?;",
        &["expected `f64`, found `f32`"],
    );
    refused(
        "mass_of_another_size",
        "struct Bad;
         impl FirstOrder<f64, 2, 0> for Bad {
             type Mass = Diagonal<f64, 3>;
             fn mass(&self) -> Diagonal<f64, 3> { Diagonal([1.0; 3].into()) }
             fn rhs<T: Scalar<f64>>(&self, _t: T, x: &Vector<T, 2>, _u: &Vector<f64, 0>) -> Vector<T, 2> { *x }
         }",
        &[
            "Diagonal<f64, 3>` is not the mass of 2 unknowns in numbers of type `f64`",
            "a mass of 2 unknowns is `Unit`, `Diagonal<T, 2>`",
        ],
    );
    refused(
        "constraints_of_another_number",
        "struct Bad;
         impl Mechanical<f64, 2, 1, 0> for Bad {
             type Joints = Elastic<f64, 2>;
             type Mass<T: Scalar<f64>> = Unit;
             fn joints(&self) -> Elastic<f64, 2> { Elastic { stiffness: [1.0; 2] } }
             fn mass<T: Scalar<f64>>(&self, _q: &Vector<T, 2>) -> Unit { Unit }
             fn force<T: Scalar<f64>>(
                 &self, _t: T, q: &Vector<T, 2>, _v: &Vector<T, 2>, _u: &Vector<f64, 0>,
             ) -> Vector<T, 2> { *q }
             fn constraint<T: Scalar<f64>>(&self, _t: T, q: &Vector<T, 2>) -> Vector<T, 1> { [q[0]].into() }
         }",
        &["Elastic<f64, 2>` does not hold 1 constraints", "`Elastic<f64, 1>`"],
    );
}
