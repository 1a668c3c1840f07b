//! The converters' tables: in flash on boards, where making them would take more stack than there is; made when they are asked for on a desk.

#[cfg(not(feature = "flash"))]
mod held {
    use crate::circuits;
    use stiffstep::Error;
    use stiffstep::switched::Tables;

    macro_rules! make {
        ($name:ident [$($size:literal),*]) => {
            pub fn $name() -> Result<Tables<f32, $($size),*>, Error> {
                let (circuit, scale) = circuits::$name();
                // A circuit cannot be wrong, unless its file is.
                circuit.build(scale).map_err(|_| Error::Inconsistent)
            }
        };
    }
    every_converter!(make);
}

/// What the build script wrote: functions of the same names.
#[cfg(feature = "flash")]
mod held {
    use stiffstep::Error;
    use stiffstep::switched::{Keys, Limits, Map, Mode, Tables, View};

    include!(concat!(env!("OUT_DIR"), "/tables.rs"));
}

pub(crate) use held::*;
