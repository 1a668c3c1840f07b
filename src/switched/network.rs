//! Kirchhoff's equations of a circuit, mode by mode, in double precision.
//!
//! A device that is off does not conduct at all. Two limits of a large off-resistance are taken exactly:
//! - at the *instant* of a change, currents of coils that have no other path are forced through devices that are off. They share
//!   them as equal resistances would, and their sign says which diode must conduct;
//! - *slowly*, such currents are zero, and nodes that only coils hold have the voltage with which they stay zero. Getting there is
//!   a projection that keeps the flux of every loop.
//!
//! Nodes that conducting parts connect form a group. Groups without the reference node are where both limits differ from
//! ordinary nodal analysis: each adds one equation.

use super::circuit::{Circuit, CircuitError, Device, Kind, Named};
use super::dense::{Matrix, product, solve, zero};

/// What a device does: nothing, conduct by its diode, conduct by its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Digit {
    Off,
    Diode,
    Channel,
}

/// A part, its nodes by number: 0 is the reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    from: usize,
    to: usize,
    pub kind: Kind,
    name: Named<'a>,
}

/// A circuit whose structure has been checked.
#[derive(Clone, Debug)]
pub(super) struct Network<'a, const S: usize> {
    parts: [Placed<'a>; S],
    count: usize,
    /// Nodes, the reference included.
    nodes: usize,
    pub coils: usize,
    pub capacitors: usize,
    pub inputs: usize,
    pub devices: usize,
    /// Inductances, and capacitances in the rows after them: twice the energy is `x^T energy x`.
    energy: Matrix<S>,
    inverse_inductance: Matrix<S>,
    /// The states that are kept, and all by them.
    pub keep: [usize; S],
    pub states: usize,
    all: Matrix<S>,
}

/// One mode: `x' = a x + b (u, 1)`. Of every device `w x` at the instant, `c x + d (u, 1)` slowly.
pub(super) struct Equations<const S: usize> {
    pub a: Matrix<S>,
    pub b: Matrix<S>,
    /// Where the state is at once.
    pub p: Matrix<S>,
    pub w: Matrix<S>,
    pub c: Matrix<S>,
    pub d: Matrix<S>,
}

/// Nodal equations with borders: the matrix, the right-hand sides by states, inputs and 1, and where unknowns are.
struct Nodal<const S: usize> {
    matrix: Matrix<S>,
    right: Matrix<S>,
    /// Equations without borders.
    size: usize,
    /// The row of the current of each device that conducts.
    current: [usize; S],
    /// The row of the current of the first capacitor.
    capacitor: usize,
}

/// Which nodes belong together: the smallest of them stands for all.
#[derive(Clone, Copy)]
struct Groups<const S: usize>([usize; S]);

/// Leakage from every node to the reference, against that of a device that is off: it decides where nothing else does.
const STRAY: f64 = 1e-3;

impl<const S: usize> Groups<S> {
    fn new() -> Self {
        Groups(core::array::from_fn(|node| node))
    }
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.0[a], self.0[b]);
        let (low, high) = (a.min(b), a.max(b));
        for group in &mut self.0 {
            if *group == high {
                *group = low;
            }
        }
    }
    /// Those without the reference node, by their smallest node.
    fn floating(&self, nodes: usize) -> impl Iterator<Item = usize> {
        (1..nodes).filter(|&node| self.0[node] == node)
    }
}

impl<'a, const S: usize> Network<'a, S> {
    /// Numbers nodes and looks for what no mode can repair.
    pub fn new(circuit: &Circuit<'a, S>) -> Result<Self, CircuitError<'a>> {
        let mut names = ["0"; S];
        let mut nodes = 1;
        let mut number = |name: &'a str| -> Result<usize, CircuitError<'a>> {
            if let Some(found) = names.iter().take(nodes).position(|known| *known == name) {
                return Ok(found);
            }
            *names.get_mut(nodes).ok_or(CircuitError::TooLarge)? = name;
            nodes += 1;
            Ok(nodes - 1)
        };
        let nothing = Placed {
            from: 0,
            to: 0,
            kind: Kind::VoltageSource,
            name: Named {
                kind: "",
                from: "0",
                to: "0",
            },
        };
        let mut parts = [nothing; S];
        for (place, part) in parts
            .iter_mut()
            .zip(circuit.parts.iter().take(circuit.count))
        {
            *place = Placed {
                from: number(part.from)?,
                to: number(part.to)?,
                kind: part.kind,
                name: Named::of(part),
            };
        }
        let all = parts.iter().take(circuit.count);
        let count = |kind: fn(&Kind) -> bool| all.clone().filter(|part| kind(&part.kind)).count();
        let mut network = Network {
            count: circuit.count,
            nodes,
            coils: count(|kind| matches!(kind, Kind::Coil(_))),
            capacitors: count(|kind| matches!(kind, Kind::Capacitor(_))),
            inputs: count(|kind| matches!(kind, Kind::VoltageSource | Kind::CurrentSource)),
            devices: count(|kind| matches!(kind, Kind::Device(_))),
            parts,
            energy: zero(),
            inverse_inductance: zero(),
            keep: [0; S],
            states: 0,
            all: zero(),
        };
        network.check_structure(&names)?;
        network.set_energy(circuit)?;
        network.find_states()?;
        Ok(network)
    }

    fn parts(&self) -> impl Iterator<Item = &Placed<'a>> + Clone {
        self.parts.iter().take(self.count)
    }

    /// Coils, capacitors: currents first.
    fn full_states(&self) -> usize {
        self.coils + self.capacitors
    }

    fn coils(&self) -> impl Iterator<Item = &Placed<'a>> + Clone {
        self.parts()
            .filter(|part| matches!(part.kind, Kind::Coil(_)))
    }

    fn placed_devices(&self) -> impl Iterator<Item = (&Placed<'a>, Device)> + Clone {
        self.parts().filter_map(|part| match part.kind {
            Kind::Device(device) => Some((part, device)),
            _ => None,
        })
    }

    /// The devices.
    pub fn devices(&self) -> impl Iterator<Item = Device> + Clone {
        self.placed_devices().map(|(_, device)| device)
    }

    fn check_structure(&self, names: &[&'a str; S]) -> Result<(), CircuitError<'a>> {
        let mut connected = Groups::<S>::new();
        self.parts()
            .filter(|part| !matches!(part.kind, Kind::CurrentSource))
            .for_each(|part| connected.join(part.from, part.to));
        if let Some(node) = connected.floating(self.nodes).next() {
            return Err(CircuitError::FloatingNode(names[node]));
        }
        let mut loops = Groups::<S>::new();
        for part in self.parts() {
            if part.kind == Kind::VoltageSource {
                if loops.0[part.from] == loops.0[part.to] {
                    return Err(CircuitError::ShortedSource(part.name));
                }
                loops.join(part.from, part.to);
            }
        }
        for part in self.parts() {
            if let Kind::Capacitor(_) = part.kind {
                if loops.0[part.from] == loops.0[part.to] {
                    return Err(CircuitError::CapacitorLoop(part.name));
                }
                loops.join(part.from, part.to);
            }
        }
        self.check_paths()
    }

    /// With every switch open and every diode conducting, the groups must be those with everything conducting: else there is a coil
    /// whose current an opening switch would have to break.
    fn check_paths(&self) -> Result<(), CircuitError<'a>> {
        let closed = self.groups(|_| true);
        let open = self.groups(|device| device.diode);
        for coil in self.coils() {
            for node in [coil.from, coil.to] {
                if closed.0[node] != open.0[node] {
                    return Err(CircuitError::CoilWithoutPath(coil.name));
                }
            }
        }
        Ok(())
    }

    fn set_energy(&mut self, circuit: &Circuit<'a, S>) -> Result<(), CircuitError<'a>> {
        let (mut coil, mut capacitor) = (0, self.coils);
        for index in 0..self.count {
            match self.parts[index].kind {
                Kind::Coil(value) => {
                    self.energy[coil][coil] = value;
                    coil += 1;
                }
                Kind::Capacitor(value) => {
                    self.energy[capacitor][capacitor] = value;
                    capacitor += 1;
                }
                _ => {}
            }
        }
        for &(i, j, factor) in circuit.couplings.iter().take(circuit.coupled) {
            if i.max(j) >= self.coils {
                return Err(CircuitError::Coupling(i.max(j)));
            }
            let mutual = factor * libm::sqrt(self.energy[i][i] * self.energy[j][j]);
            self.energy[i][j] = mutual;
            self.energy[j][i] = mutual;
        }
        if super::dense::cholesky(&self.energy, self.coils).is_none() {
            return Err(CircuitError::Coupling(self.coils));
        }
        let mut inverse = zero();
        for i in 0..self.coils {
            inverse[i][i] = 1.0;
        }
        let coils = self.coils;
        solve(&mut self.energy.clone(), coils, &mut inverse, coils)
            .ok_or(CircuitError::Coupling(coils))?;
        self.inverse_inductance = inverse;
        Ok(())
    }

    /// Which nodes resistors, sources, capacitors and conducting devices connect.
    fn groups(&self, mut conducts: impl FnMut(&Device) -> bool) -> Groups<S> {
        let mut groups = Groups::new();
        for part in self.parts() {
            let joins = match &part.kind {
                Kind::Coil(_) | Kind::CurrentSource => false,
                Kind::Device(device) => conducts(device),
                _ => true,
            };
            if joins {
                groups.join(part.from, part.to);
            }
        }
        groups
    }

    /// The groups whose coils' currents sum to zero, one left out of those that only coils connect with each other; and the larger
    /// groups that coils leave without connection to the reference.
    fn cutsets(&self, groups: &Groups<S>) -> ([bool; S], Groups<S>) {
        let mut larger = *groups;
        self.coils()
            .for_each(|coil| larger.join(coil.from, coil.to));
        let mut cut = [false; S];
        for group in groups.floating(self.nodes) {
            cut[group] = larger.0[group] != group;
        }
        (cut, larger)
    }

    /// How the currents of coils add up at a group: +1 for those that leave it, -1 for those that enter.
    fn incidence(&self, groups: &Groups<S>, group: usize) -> [f64; S] {
        let mut row = [0.0; S];
        for (place, coil) in row.iter_mut().zip(self.coils()) {
            *place = f64::from(u8::from(groups.0[coil.from] == group))
                - f64::from(u8::from(groups.0[coil.to] == group));
        }
        row
    }

    /// Which states are independent: coils that form a star in every mode leave the last of them to the others.
    fn find_states(&mut self) -> Result<(), CircuitError<'a>> {
        let full = self.full_states();
        if full + 2 * self.inputs + 1 > S {
            return Err(CircuitError::TooLarge);
        }
        let groups = self.groups(|_| true);
        let (cut, _) = self.cutsets(&groups);
        let mut rows = zero::<S>();
        let mut pivots = [usize::MAX; S];
        let mut count = 0;
        for group in groups.floating(self.nodes).filter(|&group| cut[group]) {
            let mut row = self.incidence(&groups, group);
            for k in 0..count {
                let factor = row[pivots[k]];
                for j in 0..full {
                    row[j] -= factor * rows[k][j];
                }
            }
            let last = row.iter().rposition(|x| *x != 0.0);
            let pivot = last.ok_or(CircuitError::Singular(0))?;
            let divisor = row[pivot];
            row.iter_mut().for_each(|x| *x /= divisor);
            for k in 0..count {
                let factor = rows[k][pivot];
                for j in 0..full {
                    rows[k][j] -= factor * row[j];
                }
            }
            (rows[count], pivots[count]) = (row, pivot);
            count += 1;
        }
        for state in 0..full {
            if !pivots.contains(&state) {
                self.keep[self.states] = state;
                self.all[state][self.states] = 1.0;
                self.states += 1;
            }
        }
        for k in 0..count {
            for j in 0..self.states {
                self.all[pivots[k]][j] = -rows[k][self.keep[j]];
            }
        }
        Ok(())
    }

    /// Twice the energy of the kept states, as a matrix.
    pub fn energy(&self) -> Matrix<S> {
        let (full, states) = (self.full_states(), self.states);
        let right = product(&self.energy, &self.all, (full, full, states));
        let mut energy = zero();
        for i in 0..states {
            for j in 0..states {
                for k in 0..full {
                    energy[i][j] += self.all[k][i] * right[k][j];
                }
            }
        }
        energy
    }

    fn nodal(&self, digits: &[Digit; S]) -> Result<Nodal<S>, CircuitError<'a>> {
        let (mut matrix, mut right) = (zero::<S>(), zero::<S>());
        let full = self.full_states();
        let mut current = [0; S];
        // Unknowns: nodes, sources, capacitors, devices that conduct.
        let (mut source, mut coil, mut input, mut device) = (self.nodes - 1, 0, 0, 0);
        let first_capacitor = source + self.voltage_sources();
        let mut capacitor = first_capacitor;
        let mut on = first_capacitor + self.capacitors;
        for part in self.parts() {
            let (branch, resistance, column, value) = match part.kind {
                Kind::Resistor(ohms) => {
                    stamp(&mut matrix, part, 1.0 / ohms);
                    continue;
                }
                Kind::Coil(_) => {
                    inject(&mut right, part, coil);
                    coil += 1;
                    continue;
                }
                Kind::CurrentSource => {
                    inject(&mut right, part, full + input);
                    input += 1;
                    continue;
                }
                Kind::VoltageSource => {
                    (input, source) = (input + 1, source + 1);
                    (source - 1, 0.0, full + input - 1, 1.0)
                }
                Kind::Capacitor(_) => {
                    capacitor += 1;
                    let column = self.coils + capacitor - 1 - first_capacitor;
                    (capacitor - 1, 0.0, column, 1.0)
                }
                Kind::Device(kind) => {
                    device += 1;
                    let forward = match digits[device - 1] {
                        Digit::Off => continue,
                        Digit::Diode => kind.conduction.forward,
                        Digit::Channel => 0.0,
                    };
                    on += 1;
                    current[device - 1] = on - 1;
                    let resistance = kind.conduction.resistance;
                    (on - 1, resistance, full + self.inputs, forward)
                }
            };
            if branch >= S {
                return Err(CircuitError::TooLarge);
            }
            for (node, sign) in [(part.from, 1.0), (part.to, -1.0)] {
                if node > 0 {
                    matrix[branch][node - 1] += sign;
                    matrix[node - 1][branch] += sign;
                }
            }
            matrix[branch][branch] = -resistance;
            right[branch][column] = value;
        }
        Ok(Nodal {
            matrix,
            right,
            size: on,
            current,
            capacitor: first_capacitor,
        })
    }

    fn voltage_sources(&self) -> usize {
        self.parts()
            .filter(|part| part.kind == Kind::VoltageSource)
            .count()
    }

    /// Leakage currents out of nodes if the nodes of these groups have unit voltage.
    fn leakage(&self, digits: &[Digit; S], raised: impl Fn(usize) -> bool) -> [f64; S] {
        let level = |node: usize| f64::from(u8::from(node > 0 && raised(node)));
        let mut out = [0.0; S];
        for node in 1..self.nodes {
            out[node - 1] = STRAY * level(node);
        }
        for ((part, _), digit) in self.placed_devices().zip(digits) {
            if *digit == Digit::Off {
                let through = level(part.from) - level(part.to);
                for (node, sign) in [(part.from, 1.0), (part.to, -1.0)] {
                    if node > 0 {
                        out[node - 1] += sign * through;
                    }
                }
            }
        }
        out
    }

    /// The row that keeps a group's currents as they are: the voltages of its coils, by what they do to their sum.
    fn holding(&self, sums: &[f64; S]) -> [f64; S] {
        let (mut row, mut size) = ([0.0; S], 0.0);
        for (l, coil) in self.coils().enumerate() {
            let mut weight = 0.0;
            for k in 0..self.coils {
                weight += sums[k] * self.inverse_inductance[k][l];
            }
            size += weight * sums[l];
            for (node, sign) in [(coil.from, 1.0), (coil.to, -1.0)] {
                if node > 0 {
                    row[node - 1] += sign * weight;
                }
            }
        }
        row.map(|x| x / size)
    }

    /// The projection that makes the sums of currents at groups zero and keeps the flux of loops: along `L^-1 sums`.
    fn projection(&self, sums: &Matrix<S>, count: usize) -> Option<Matrix<S>> {
        let (coils, full) = (self.coils, self.full_states());
        let along = product(sums, &self.inverse_inductance, (count, coils, coils));
        let mut between = zero();
        for i in 0..count {
            for j in 0..count {
                for k in 0..coils {
                    between[i][j] += along[i][k] * sums[j][k];
                }
            }
        }
        let mut share = *sums;
        solve(&mut between, count, &mut share, coils)?;
        let mut p = zero();
        for i in 0..full {
            p[i][i] = 1.0;
        }
        for i in 0..coils {
            for j in 0..coils {
                for k in 0..count {
                    p[i][j] -= along[k][i] * share[k][j];
                }
            }
        }
        Some(p)
    }

    /// The equations of a mode.
    pub fn mode(
        &self,
        digits: &[Digit; S],
        index: usize,
    ) -> Result<Equations<S>, CircuitError<'a>> {
        let mut digit = digits.iter();
        let groups = self.groups(|_| digit.next().is_some_and(|digit| *digit != Digit::Off));
        for part in self.parts() {
            if part.kind == Kind::CurrentSource && groups.0[part.from] != groups.0[part.to] {
                return Err(CircuitError::CoilCutset(part.name));
            }
        }
        let (cut, larger) = self.cutsets(&groups);
        let singular = CircuitError::Singular(index);
        let nodal = self.nodal(digits)?;
        let columns = self.full_states() + self.inputs + 1;
        let floating = groups.floating(self.nodes).count();
        let size = nodal.size + floating;
        if size > S {
            return Err(CircuitError::TooLarge);
        }
        let (mut instant, mut slow) = (nodal.matrix, nodal.matrix);
        let (mut sums, mut count) = (zero::<S>(), 0);
        for (k, group) in groups.floating(self.nodes).enumerate() {
            let border = nodal.size + k;
            let leakage = self.leakage(digits, |node| groups.0[node] == group);
            let mut row = self.leakage(digits, |node| larger.0[node] == larger.0[group]);
            if cut[group] {
                sums[count] = self.incidence(&groups, group);
                row = self.holding(&sums[count]);
                count += 1;
            }
            for i in 0..self.nodes - 1 {
                instant[i][border] = leakage[i];
                slow[i][border] = leakage[i];
                instant[border][i] = leakage[i];
                slow[border][i] = row[i];
            }
        }
        let (mut at_once, mut later) = (nodal.right, nodal.right);
        solve(&mut instant, size, &mut at_once, columns).ok_or(singular)?;
        solve(&mut slow, size, &mut later, columns).ok_or(singular)?;
        let p = self.projection(&sums, count).ok_or(singular)?;
        let forced = Forced {
            groups: &groups,
            solution: &at_once,
            first: nodal.size,
        };
        Ok(self.in_kept_states(&nodal, digits, &forced, &later, &p))
    }

    /// Rates and conditions from the solutions of the nodal equations.
    fn in_kept_states(
        &self,
        nodal: &Nodal<S>,
        digits: &[Digit; S],
        forced: &Forced<'_, S>,
        later: &Matrix<S>,
        p: &Matrix<S>,
    ) -> Equations<S> {
        let (full, inputs) = (self.full_states(), self.inputs + 1);
        let voltage = |part: &Placed, j: usize| {
            let at = |node: usize| if node > 0 { later[node - 1][j] } else { 0.0 };
            at(part.from) - at(part.to)
        };
        let (mut rates, mut slow, mut once) = (zero::<S>(), zero::<S>(), zero::<S>());
        for j in 0..full + inputs {
            for (k, coil) in self.coils().enumerate() {
                for i in 0..self.coils {
                    rates[i][j] += self.inverse_inductance[i][k] * voltage(coil, j);
                }
            }
            for k in 0..self.capacitors {
                let state = self.coils + k;
                rates[state][j] = later[nodal.capacitor + k][j] / self.energy[state][state];
            }
            for (k, (part, device)) in self.placed_devices().enumerate() {
                let one = f64::from(u8::from(j + 1 == full + inputs));
                if digits[k] == Digit::Off {
                    slow[k][j] = device.conduction.forward * one - voltage(part, j);
                    once[k][j] = -forced.through(part, j);
                } else {
                    slow[k][j] = later[nodal.current[k]][j];
                    once[k][j] = forced.solution[nodal.current[k]][j];
                }
            }
        }
        let (states, devices) = (self.states, self.devices);
        let p = product(p, &self.all, (full, full, states));
        let a = product(&rates, &p, (full, full, states));
        let c = product(&slow, &p, (devices, full, states));
        let mut w = product(&once, &self.all, (devices, full, states));
        let (mut b, mut d) = (zero(), zero());
        for k in 0..devices {
            for j in 0..states {
                if digits[k] != Digit::Off {
                    w[k][j] -= c[k][j];
                }
            }
            d[k][..inputs].copy_from_slice(&slow[k][full..full + inputs]);
        }
        let (mut kept_a, mut kept_p) = (zero(), zero());
        for i in 0..states {
            let from = self.keep[i];
            (kept_a[i], kept_p[i]) = (a[from], p[from]);
            b[i][..inputs].copy_from_slice(&rates[from][full..full + inputs]);
        }
        let (a, p) = (kept_a, kept_p);
        Equations { a, b, p, w, c, d }
    }
}

/// What devices that are off carry at the instant of a change.
struct Forced<'n, const S: usize> {
    groups: &'n Groups<S>,
    solution: &'n Matrix<S>,
    /// The first border.
    first: usize,
}

impl<const S: usize> Forced<'_, S> {
    /// The current through a device that is off.
    fn through(&self, part: &Placed, column: usize) -> f64 {
        let level = |node: usize| {
            let group = self.groups.0[node];
            if group == 0 {
                return 0.0;
            }
            let before = (1..group).filter(|&other| self.groups.0[other] == other);
            self.solution[self.first + before.count()][column]
        };
        level(part.from) - level(part.to)
    }
}

/// Adds a conductance.
fn stamp<const S: usize>(matrix: &mut Matrix<S>, part: &Placed, conductance: f64) {
    for (row, sign) in [(part.from, 1.0), (part.to, -1.0)] {
        for (column, other) in [(part.from, sign), (part.to, -sign)] {
            if row > 0 && column > 0 {
                matrix[row - 1][column - 1] += other * conductance;
            }
        }
    }
}

/// Adds a current from one node to the other, which belongs to this column.
fn inject<const S: usize>(right: &mut Matrix<S>, part: &Placed, column: usize) {
    if part.from > 0 {
        right[part.from - 1][column] -= 1.0;
    }
    if part.to > 0 {
        right[part.to - 1][column] += 1.0;
    }
}
