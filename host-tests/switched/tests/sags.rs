//! A rectifier whose mains jump: its rails change their order, and what its coils carry goes through both diodes of a leg.
#![allow(clippy::unwrap_used)]

use fastrand::Rng;
use stiffstep::switched::{Input, Switched, SwitchedError, Tables};
use stiffstep_switched_tests::cases::{Case, cases};
use stiffstep_switched_tests::net::{Kind, Net};
use stiffstep_switched_tests::reference::Reference;

fn rectifier() -> Case {
    let mut all = cases().into_iter();
    all.find(|case| case.name == "rectifier, overlap").unwrap()
}

/// Diodes instead of legs.
fn apart(net: &Net) -> Net {
    let (mut apart, mut middles) = (Net::default(), net.middles.iter());
    for part in &net.parts {
        if let Kind::Leg(_, on) = part.kind {
            let middle = middles.next().unwrap();
            apart.add(middle, &part.from, Kind::Diode(on));
            apart.add(&part.to, middle, Kind::Diode(on));
        } else {
            apart.add(&part.from, &part.to, part.kind);
        }
    }
    apart
}

type SixDiodes = Tables<f32, 4, 3, 6, 64, 0, 4>;
type ThreeLegs = Tables<f32, 4, 3, 6, 27, 0, 4>;

fn voltages(chance: &mut Rng) -> [f32; 3] {
    [(); 3].map(|()| chance.f32() * 720.0 - 360.0)
}

/// Six diodes find a mode whatever the voltages are. Three legs, which have none with both diodes of one, say so, and do not answer something
/// else.
#[test]
fn voltages_may_be_anything() {
    let case = rectifier();
    let (six, three) = (apart(&case.net), case.net);
    let six: SixDiodes = six.circuit().build(case.scale).unwrap();
    let three: ThreeLegs = three.circuit().build(case.scale).unwrap();
    let mut plant = Switched::new(six.view(), [0.0; 4], [0.0; 3]).unwrap();
    let (mut chance, mut refused, mut same) = (Rng::with_seed(5), 0, 0);
    for step in 0..100_000 {
        let u = voltages(&mut chance);
        let legs = Switched::new(three.view(), plant.state().x, u);
        let report = plant.step(&Input::held(u), &[]).unwrap();
        assert!(report.iterations <= 8, "step {step}");
        let legs = legs.and_then(|mut legs| Ok((legs.step(&Input::held(u), &[])?, legs)));
        match legs {
            Err(error) => {
                assert_eq!(error, SwitchedError::NoMode, "step {step}");
                refused += 1;
            }
            Ok((_, legs)) => {
                let [a, b] = [legs.state().x, plant.state().x];
                let near = a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-2);
                assert!(near, "step {step}: {a:?}, {b:?}");
                same += 1;
            }
        }
    }
    println!("{same} steps of legs are those of diodes, {refused} were refused");
    assert!(same > 10_000 && refused > 10_000);
}

/// The mains go away and come back, somewhere in their period.
#[test]
fn a_sag_is_that_of_the_independent_solution() {
    let case = rectifier();
    let net = apart(&case.net);
    let tables: SixDiodes = net.circuit().build(case.scale).unwrap();
    let mut plant = Switched::new(tables.view(), [0.0; 4], [0.0; 3]).unwrap();
    let mut reference = Reference::new(&net, case.look);
    let (mut chance, mut amplitude) = (Rng::with_seed(7), 325.0);
    let (mut error, mut largest, mut both) = ([0.0_f64; 4], [0.0_f64; 4], 0);
    for step in 0..2_000 {
        if chance.u8(..40) == 0 {
            amplitude = [0.0, 0.0, 100.0, -325.0, 325.0][chance.usize(..5)];
        }
        let angle = f64::from(step % 400) / 400.0;
        let phase = |k: f64| amplitude * (std::f64::consts::TAU * (angle - k / 3.0)).sin();
        let u = [0.0, 1.0, 2.0].map(|k| phase(k) as f32);
        plant.step(&Input::held(u), &[]).unwrap();
        reference.step(case.scale.step, &u, &[0.0; 3], &[]);
        let diodes = plant.state().diodes;
        both += u32::from((0..3).any(|leg| diodes >> (2 * leg) & 3 == 3));
        for (i, k) in case.keep.iter().enumerate() {
            let exact = reference.x[*k];
            largest[i] = largest[i].max(exact.abs());
            error[i] = error[i].max((f64::from(plant.state().x[i]) - exact).abs());
        }
    }
    let relative: Vec<f64> = error.iter().zip(largest).map(|(e, l)| e / l).collect();
    println!("{both} steps ended with both diodes of a leg, errors {relative:?}");
    assert!(both > 50, "{both}");
    assert!(
        relative.iter().all(|error| *error < case.limit),
        "{relative:?}"
    );
}
