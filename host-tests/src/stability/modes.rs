//! The modes with which the core decouples the stages of a step.

use nalgebra::Complex;
use stiffstep::method::{Collocation, Modes, Stages};

/// An eigenvalue of A with its left and its right eigenvector.
pub type FullMode = (Complex<f64>, Vec<Complex<f64>>, Vec<Complex<f64>>);

/// All modes of a method, with the conjugates that the core leaves out.
pub fn modes<K: Collocation<S>, const S: usize>() -> Vec<FullMode>
where
    Stages<S>: Modes,
{
    let t = K::coefficients::<f64>();
    let mut all = Vec::new();
    if S % 2 == 1 {
        let whole = |x: &f64| Complex::new(*x, 0.0);
        all.push((
            whole(&t.real.eigenvalue),
            t.real.left.iter().map(whole).collect(),
            t.real.right.iter().map(whole).collect(),
        ));
    }
    for pair in &t.pairs[..S / 2] {
        let own = |z: &stiffstep::number::Complex<f64>| Complex::new(z.re, z.im);
        // The stored right vector carries the factor 2 that stands for the conjugate.
        let mode: FullMode = (
            own(&pair.eigenvalue),
            pair.left.iter().map(own).collect(),
            pair.right.iter().map(|z| own(z) * 0.5).collect(),
        );
        let conjugated = |v: &[Complex<f64>]| v.iter().map(Complex::conj).collect();
        all.push((mode.0.conj(), conjugated(&mode.1), conjugated(&mode.2)));
        all.push(mode);
    }
    all
}
