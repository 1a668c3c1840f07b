//! A mode of the independent solution: nodal equations in which devices that are off conduct nothing. What they leave undetermined, the
//! null space of the conductances, follows from coils whose currents have no other path; and what these leave, from leakage that is the
//! same in all devices and goes to zero.

use crate::net::Kind;
use crate::reference::{Device, Reference};
use nalgebra::DMatrix;

type Matrix = DMatrix<f64>;

/// What of a singular value or an eigenvalue is zero, relative to the largest.
const ZERO: f64 = 1e-10;

/// A mode, in states, inputs and slopes.
#[derive(Clone)]
pub(crate) struct Mode {
    /// Rates.
    pub(crate) big: Matrix,
    /// A device's current, or what its voltage lacks.
    pub(crate) conditions: Matrix,
    /// Currents of coils that have no path.
    pub(crate) pathless: Matrix,
    /// What ends them, of states.
    pub(crate) jump: Matrix,
    /// What the impulses that end them add to conditions.
    pub(crate) impulse: Matrix,
}

/// Nodal equations `g w = q z`; `w` are voltages of nodes and currents of sources and capacitors.
struct Nodal {
    g: Matrix,
    q: Matrix,
    /// The row of the first capacitor.
    first: usize,
}

fn stamp(g: &mut Matrix, a: usize, b: usize, y: f64) {
    for (p, r, v) in [(a, a, y), (b, b, y), (a, b, -y), (b, a, -y)] {
        if p > 0 && r > 0 {
            g[(p - 1, r - 1)] += v;
        }
    }
}

fn inject(q: &mut Matrix, a: usize, b: usize, column: usize, value: f64) {
    for (node, sign) in [(a, -1.0), (b, 1.0)] {
        if node > 0 {
            q[(node - 1, column)] += sign * value;
        }
    }
}

fn branch(g: &mut Matrix, a: usize, b: usize, row: usize) {
    for (p, sign) in [(a, 1.0), (b, -1.0)] {
        if p > 0 {
            g[(row, p - 1)] += sign;
            g[(p - 1, row)] += sign;
        }
    }
}

/// Sources, resistors, capacitors and coils, and devices that are on.
fn nodal(circuit: &Reference, digits: &[u8]) -> Nodal {
    let nodes = circuit.nodes.len() - 1;
    let (nl, nc) = (circuit.coils.len(), circuit.capacitors.len());
    let (nx, nu) = (nl + nc, circuit.inputs + 1);
    let parts = &circuit.net.parts;
    let sources = parts.iter().filter(|part| part.kind == Kind::Source);
    let size = nodes + sources.count() + nc;
    let mut g = Matrix::zeros(size, size);
    let mut q = Matrix::zeros(size, nx + 2 * nu);
    let index = |name: &String| circuit.nodes.iter().position(|node| node == name);
    let (mut row, mut input) = (nodes, nx);
    for part in parts {
        let (a, b) = (index(&part.from).unwrap_or(0), index(&part.to).unwrap_or(0));
        match part.kind {
            Kind::Resistor(ohms) => stamp(&mut g, a, b, 1.0 / ohms),
            Kind::Source => {
                branch(&mut g, a, b, row);
                q[(row, input)] = 1.0;
                (row, input) = (row + 1, input + 1);
            }
            Kind::CurrentSource => {
                inject(&mut q, a, b, input, 1.0);
                input += 1;
            }
            _ => {}
        }
    }
    for (k, &(a, b, _)) in circuit.capacitors.iter().enumerate() {
        branch(&mut g, a, b, row + k);
        q[(row + k, nl + k)] = 1.0;
    }
    for (k, &(a, b, _)) in circuit.coils.iter().enumerate() {
        inject(&mut q, a, b, k, 1.0);
    }
    for (device, digit) in circuit.devices.iter().zip(digits) {
        let (a, b, y) = (device.from, device.to, 1.0 / device.resistance);
        if *digit > 0 {
            stamp(&mut g, a, b, y);
        }
        if *digit == 1 {
            inject(&mut q, a, b, nx + nu - 1, -y * device.forward);
        }
    }
    Nodal { g, q, first: row }
}

/// The generalised inverse of a symmetric matrix, and its null space.
fn inverse(matrix: &Matrix) -> (Matrix, Matrix) {
    let size = matrix.nrows();
    if size == 0 {
        return (Matrix::zeros(0, 0), Matrix::zeros(0, 0));
    }
    let eigen = ((matrix + matrix.transpose()) * 0.5).symmetric_eigen();
    let zero = eigen.eigenvalues.amax() * ZERO;
    let is_zero = |k: &usize| eigen.eigenvalues[*k].abs() <= zero;
    let mut inverse = Matrix::zeros(size, size);
    for k in (0..size).filter(|k| !is_zero(k)) {
        let v = eigen.eigenvectors.column(k);
        inverse += v * v.transpose() / eigen.eigenvalues[k];
    }
    let null: Vec<usize> = (0..size).filter(is_zero).collect();
    (inverse, eigen.eigenvectors.select_columns(&null))
}

/// Inverse inductances, coupled.
fn inverse_inductances(circuit: &Reference) -> Matrix {
    let nl = circuit.coils.len();
    let mut inductance = Matrix::zeros(nl, nl);
    for (k, coil) in circuit.coils.iter().enumerate() {
        inductance[(k, k)] = coil.2;
    }
    for &(i, j, factor) in &circuit.net.couplings {
        let mutual = factor * (circuit.coils[i].2 * circuit.coils[j].2).sqrt();
        inductance[(i, j)] = mutual;
        inductance[(j, i)] = mutual;
    }
    inductance
        .try_inverse()
        .unwrap_or_else(|| Matrix::zeros(nl, nl))
}

/// What the voltage of a device lacks to conduct, without what it needs.
fn lacks(w: &Matrix, device: &Device) -> Matrix {
    let mut row = Matrix::zeros(1, w.ncols());
    for (node, sign) in [(device.to, 1.0), (device.from, -1.0)] {
        if node > 0 {
            row += w.rows(node - 1, 1) * sign;
        }
    }
    row
}

/// The mode of these digits: 0 is off, 1 conducts as a diode, 2 by its gate.
pub(crate) fn build(circuit: &Reference, digits: &[u8]) -> Mode {
    let (nl, nc) = (circuit.coils.len(), circuit.capacitors.len());
    let (nx, nu) = (nl + nc, circuit.inputs + 1);
    let all = nx + 2 * nu;
    let Nodal { g, q, first } = nodal(circuit, digits);
    let mut leakage = Matrix::zeros(g.nrows(), g.nrows());
    for (device, digit) in circuit.devices.iter().zip(digits) {
        if *digit == 0 {
            stamp(&mut leakage, device.from, device.to, 1.0);
        }
    }
    let (solved, free) = inverse(&g);
    let across = -q.columns(0, nl).transpose();
    let rates = inverse_inductances(circuit) * &across;
    // Slopes of inputs in the place of inputs.
    let mut slopes = Matrix::zeros(q.nrows(), all);
    slopes
        .columns_mut(nx + nu, nu)
        .copy_from(&q.columns(nx, nu));
    let pathless = free.transpose() * &q;
    let (stiffness, rest) = inverse(&(free.transpose() * across.transpose() * &rates * &free));
    let rest = &free * rest;
    let level = |w: Matrix| {
        let (leaks, _) = inverse(&(rest.transpose() * &leakage * &rest));
        let less = &rest * leaks * rest.transpose() * &leakage * &w;
        w - less
    };
    let w = solved * &q;
    let pull = free.transpose() * (slopes - across.transpose() * &rates * &w);
    let w = level(w + &free * &stiffness * pull);
    let kick = level(&free * &stiffness);
    let mut big = Matrix::zeros(all, all);
    big.rows_mut(0, nl).copy_from(&(&rates * &w));
    for (k, &(_, _, value)) in circuit.capacitors.iter().enumerate() {
        big.set_row(nl + k, &(w.row(first + k) / value));
    }
    for j in 0..nu {
        big[(nx + j, nx + nu + j)] = 1.0;
    }
    let mut jump = Matrix::zeros(nx, free.ncols());
    jump.rows_mut(0, nl).copy_from(&(&rates * &kick));
    let mut conditions = Matrix::zeros(circuit.devices.len(), all);
    let mut impulse = Matrix::zeros(circuit.devices.len(), free.ncols());
    for (k, (device, digit)) in circuit.devices.iter().zip(digits).enumerate() {
        let mut row = lacks(&w, device);
        row[nx + nu - 1] += device.forward;
        match digit {
            1 => conditions.set_row(k, &(-row / device.resistance).row(0)),
            0 if device.diode => {
                conditions.set_row(k, &row.row(0));
                impulse.set_row(k, &lacks(&kick, device).row(0));
            }
            _ => conditions[(k, nx + nu - 1)] = 1.0,
        }
    }
    Mode {
        big,
        conditions,
        pathless,
        jump,
        impulse,
    }
}
