//! What is wrong with a circuit whatever conducts.

use super::super::circuit::{CircuitError, Kind};
use super::{Groups, Network};

impl<'a, const S: usize> Network<'a, S> {
    pub(super) fn check_structure(&self, names: &[&'a str; S]) -> Result<(), CircuitError<'a>> {
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
}
