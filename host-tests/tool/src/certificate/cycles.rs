//! Cycles of executed instructions by the tables that Arm publishes for its cores: an estimate of what a chip takes, not a bound.
//!
//! A table gives each instruction its cycles with memories that answer at once. What it leaves out: waiting for a result that the
//! next instruction needs, wide instructions that begin in the middle of a word, other users of the bus. Where a manual gives a
//! range, the most counts, but for the refilling of the pipeline behind a branch, 1 to 3, which is 2. Instructions of an IT block
//! count as if they were carried out. Waiting for the flash is [`Flash`].

use super::class::Class;
use super::thumb::{Flow, Instruction};
use serde::Deserialize;
use std::collections::VecDeque;
use std::sync::LazyLock;

/// The cycles of a core's instructions, one where its table says nothing.
macro_rules! weights {
    ($($(#[$doc:meta])* $field:ident,)*) => {
        /// The cycles of a core's instructions.
        #[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Weights {
            /// The core.
            pub core: String,
            /// The manual that has the table.
            pub manual: String,
            $($(#[$doc])* #[serde(default = "one")] pub $field: u64,)*
        }
    };
}

/// What most instructions take.
const fn one() -> u64 {
    1
}

weights! {
    /// A load.
    load,
    /// A load right behind a load.
    load_behind,
    /// A store.
    store,
    /// A store whose offset is in a register.
    store_indexed,
    /// A store of a floating point register.
    float_store,
    /// A product.
    multiply,
    /// A product with a sum.
    multiply_add,
    /// A long product.
    multiply_long,
    /// A long product with a sum.
    multiply_long_add,
    /// A quotient.
    divide,
    /// System registers and barriers.
    special,
    /// A branch that is taken.
    taken,
    /// BL.
    call,
    /// BX, BLX, a move to pc.
    through,
    /// Refilling the pipeline behind a load of pc.
    refill,
    /// A move of two registers to or from the floating point unit.
    float_pair,
    /// A floating point product with a sum.
    float_multiply_add,
    /// A floating point quotient.
    float_divide,
    /// A floating point square root.
    float_root,
}

/// The table of a core; `None` if there is none.
pub fn table(core: &str) -> Option<&'static Weights> {
    #[derive(Deserialize)]
    struct Published {
        tables: Vec<Weights>,
    }
    static TABLES: LazyLock<Vec<Weights>> = LazyLock::new(|| {
        let published = toml::from_str(include_str!("cycles.toml"));
        published.map_or(Vec::new(), |published: Published| published.tables)
    });
    TABLES.iter().find(|weights| weights.core == core)
}

impl Weights {
    /// The cycles of an instruction, behind a load or not, with its branch taken or not.
    pub fn of(&self, instruction: &Instruction, behind_load: bool, taken: bool) -> u64 {
        let own = match instruction.class {
            Class::Simple | Class::Float => 1,
            Class::Special => self.special,
            Class::Load if behind_load => self.load_behind,
            Class::Load => self.load,
            Class::Store => self.store,
            Class::StoreIndexed => self.store_indexed,
            Class::FloatStore => self.float_store,
            Class::LoadMany(words) | Class::StoreMany(words) => 1 + u64::from(words),
            Class::Multiply => self.multiply,
            Class::MultiplyAdd => self.multiply_add,
            Class::MultiplyLong => self.multiply_long,
            Class::MultiplyLongAdd => self.multiply_long_add,
            Class::Divide => self.divide,
            Class::FloatPair => self.float_pair,
            Class::FloatMultiplyAdd => self.float_multiply_add,
            Class::FloatDivide => self.float_divide,
            Class::FloatRoot => self.float_root,
        };
        match instruction.flow {
            Flow::Branch(_) | Flow::Jump(_) if taken => self.taken,
            Flow::Call(_) if taken => self.call,
            Flow::CallThrough | Flow::Return | Flow::Indirect if taken => match instruction.class {
                Class::Simple => self.through,
                _ => own + self.refill,
            },
            _ => own,
        }
    }

    /// The most that it can take.
    pub fn most(&self, instruction: &Instruction) -> u64 {
        self.of(instruction, false, true)
            .max(self.of(instruction, false, false))
    }
}

/// A flash that takes longer than a cycle, with an accelerator like the STM32F4's: lines of 16 bytes, 64 of code and 8 of constants
/// kept, the least recently used one given up, and the line behind the current one read ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flash {
    /// Cycles that a line takes besides the first.
    pub wait_states: u32,
}

const LINE: u32 = 16;
const CODE_LINES: usize = 64;
const CONSTANT_LINES: usize = 8;

/// The lines that are kept, the last used one first.
#[derive(Debug, Default)]
struct Lines(VecDeque<u32>);

impl Lines {
    /// Whether a line was there; it is now.
    fn take(&mut self, line: u32, room: usize) -> bool {
        let found = self.0.iter().position(|&kept| kept == line);
        if let Some(place) = found {
            self.0.remove(place);
        }
        self.0.push_front(line);
        self.0.truncate(room);
        found.is_some()
    }
}

/// Adds up the cycles of instructions as they come.
#[derive(Debug)]
pub struct Meter<'a> {
    weights: &'a Weights,
    flash: Flash,
    code: Lines,
    constants: Lines,
    /// The current line, and the cycles since it was entered.
    line: (u32, u64),
    behind_load: bool,
}

impl<'a> Meter<'a> {
    /// With nothing in the accelerator.
    pub fn new(weights: &'a Weights, flash: Flash) -> Self {
        Meter {
            weights,
            flash,
            code: Lines::default(),
            constants: Lines::default(),
            line: (u32::MAX, 0),
            behind_load: false,
        }
    }

    /// The cycles of the next instruction.
    pub fn pass(&mut self, at: u32, instruction: &Instruction, taken: bool) -> u64 {
        let waits = self.waits(at, instruction);
        let cycles = self.weights.of(instruction, self.behind_load, taken);
        self.behind_load = instruction.class == Class::Load;
        self.line.1 += cycles;
        waits + cycles
    }

    fn waits(&mut self, at: u32, instruction: &Instruction) -> u64 {
        let most = u64::from(self.flash.wait_states);
        if most == 0 {
            return 0;
        }
        let mut waits = 0;
        // An instruction of four bytes may end in the next line.
        for line in [at / LINE, (at + instruction.size - 1) / LINE] {
            let (current, since) = self.line;
            if line == current {
                continue;
            }
            if !self.code.take(line, CODE_LINES) {
                let ahead = if line == current.wrapping_add(1) {
                    since
                } else {
                    0
                };
                waits += most.saturating_sub(ahead);
            }
            self.line = (line, 0);
        }
        let constant = instruction.literal.map(|place| place / LINE);
        if constant.is_some_and(|line| !self.constants.take(line, CONSTANT_LINES)) {
            waits += most;
        }
        waits
    }
}

#[cfg(test)]
mod tests {
    use super::super::thumb::decode;
    use super::*;

    fn cycles(core: &str, code: &[(u32, u16, u16, bool)], wait_states: u32) -> Option<u64> {
        let mut meter = Meter::new(table(core)?, Flash { wait_states });
        let all = code
            .iter()
            .map(|&(at, first, second, taken)| meter.pass(at, &decode(at, first, second), taken));
        Some(all.sum())
    }

    /// Two loads, a quotient, a product with a sum, a store, a branch that is taken and one that is not, a return with five registers.
    const SEQUENCE: [(u32, u16, u16, bool); 8] = [
        (0, 0xed90, 0x0a00, false),
        (4, 0xed90, 0x0a01, false),
        (8, 0xee80, 0x0a81, false),
        (12, 0xee00, 0x0a81, false),
        (16, 0x9001, 0, false),
        (18, 0xd0fe, 0, true),
        (20, 0xd0fe, 0, false),
        (22, 0xbdf0, 0, true),
    ];

    #[test]
    fn instructions_take_what_the_manual_says() {
        let m4f = 2 + 1 + 14 + 3 + 1 + 3 + 1 + (1 + 5 + 2);
        assert_eq!(cycles("Cortex-M4F", &SEQUENCE, 0), Some(m4f));
        assert_eq!(
            cycles("Cortex-M0+", &SEQUENCE[4..], 0),
            Some(2 + 2 + 1 + (3 + 5))
        );
        assert_eq!(
            cycles("Cortex-M0", &SEQUENCE[4..], 0),
            Some(2 + 3 + 1 + (4 + 5))
        );
        assert_eq!(cycles("Cortex-M7", &SEQUENCE, 0), None);
    }

    /// The first line is waited for; the second was read while the first took 20 cycles; a second time both are there.
    #[test]
    fn the_flash_is_waited_for_once() {
        let free = cycles("Cortex-M4F", &SEQUENCE, 0);
        assert_eq!(
            cycles("Cortex-M4F", &SEQUENCE, 5),
            free.map(|free| free + 5)
        );
        let twice = [SEQUENCE, SEQUENCE].concat();
        assert_eq!(
            cycles("Cortex-M4F", &twice, 5),
            free.map(|free| 2 * free + 5)
        );
    }
}
