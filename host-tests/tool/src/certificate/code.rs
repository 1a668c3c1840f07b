//! An image as code: its instructions, its functions by name, and the frames that the compiler says they have.

use super::thumb::{Instruction, decode};
use anyhow::{Context, Result};
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The code of an image.
#[derive(Debug)]
pub struct Code {
    sections: Vec<(u32, Vec<u8>)>,
    functions: BTreeMap<u32, Function>,
    frames: BTreeMap<u32, u32>,
    /// The only function that is called through registers, if that is known.
    pub through_registers: Option<u32>,
}

/// A function's symbol.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, without what the compiler added.
    pub name: String,
    /// Its size in bytes, constants between its instructions included.
    pub size: u32,
}

impl Code {
    /// Reads an image.
    pub fn read(image: &Path) -> Result<Self> {
        let bytes =
            fs::read(image).with_context(|| format!("{} cannot be read", image.display()))?;
        let file = object::File::parse(&*bytes)
            .with_context(|| format!("{} is not an ELF file", image.display()))?;
        let mut code = Code {
            sections: Vec::new(),
            functions: BTreeMap::new(),
            frames: BTreeMap::new(),
            through_registers: None,
        };
        for section in file.sections() {
            if section.kind() == SectionKind::Text {
                let place = section.address() as u32;
                code.sections.push((place, section.data()?.to_vec()));
            } else if section.name() == Ok(".stack_sizes") {
                code.frames = frames(section.data()?);
            }
        }
        for symbol in file.symbols().filter(|s| s.kind() == SymbolKind::Text) {
            let name = format!("{:#}", rustc_demangle::demangle(symbol.name()?));
            let size = symbol.size() as u32;
            // The lowest bit says that it is Thumb code. Markers have no size, and aliases are as good as each other.
            if size > 0 {
                let place = symbol.address() as u32 & !1;
                code.functions.insert(place, Function { name, size });
            }
        }
        Ok(code)
    }

    /// Code from its halfwords, at address zero.
    #[cfg(test)]
    pub fn of(halfwords: &[u16]) -> Self {
        let bytes = halfwords.iter().flat_map(|half| half.to_le_bytes());
        Code {
            sections: vec![(0, bytes.collect())],
            functions: BTreeMap::new(),
            frames: BTreeMap::new(),
            through_registers: None,
        }
    }

    /// The instruction at an address.
    pub fn at(&self, address: u32) -> Option<Instruction> {
        let half = |address: u32| {
            self.sections.iter().find_map(|(start, bytes)| {
                let from = address.checked_sub(*start)? as usize;
                let pair = bytes.get(from..from + 2)?;
                Some(u16::from_le_bytes([pair[0], pair[1]]))
            })
        };
        let first = half(address)?;
        Some(decode(address, first, half(address + 2).unwrap_or(0)))
    }

    /// The functions, by where they start.
    pub fn functions(&self) -> &BTreeMap<u32, Function> {
        &self.functions
    }

    /// Where the function of that name starts, whatever its type parameters.
    pub fn find(&self, name: &str) -> Result<u32> {
        // Depending on how the compiler writes symbols, they are part of the name.
        let generic = format!("{name}::<");
        let named = |function: &Function| {
            function.name == name
                || function.name.starts_with(&generic) && !function.name.contains("{closure")
        };
        let mut all = self.functions.iter();
        all.find(|(_, function)| named(function))
            .map(|(&place, _)| place)
            .with_context(|| format!("the image has no function `{name}`"))
    }

    /// Where the only closure of the function of that name starts.
    pub fn closure(&self, name: &str) -> Option<u32> {
        let named = |function: &Function| {
            function.name.starts_with(name) && function.name.ends_with("::{closure#0}")
        };
        let mut all = self.functions.iter();
        all.find(|(_, function)| named(function))
            .map(|(&place, _)| place)
    }

    /// The name of the function that an address lies in.
    pub fn name(&self, address: u32) -> String {
        match self.functions.range(..=address).next_back() {
            Some((_, function)) => function.name.clone(),
            None => format!("{address:#x}"),
        }
    }

    /// What an emulator may be told to log: all code but loops of waiting and painting, which are long and part of no step.
    pub fn ranges(&self) -> String {
        let left_out = |function: &Function| {
            let parts = ["delay", "ticks_of_loop", "Paint"];
            parts.iter().any(|part| function.name.contains(part))
        };
        let mut ranges = Vec::new();
        for (start, bytes) in &self.sections {
            let (mut from, end) = (*start, *start + bytes.len() as u32);
            let mut add = |from: u32, to: u32| {
                if from < to {
                    ranges.push(format!("{from:#x}..{:#x}", to - 1));
                }
            };
            for (&place, function) in self.functions.range(*start..end) {
                if left_out(function) {
                    add(from, place);
                    from = place + function.size;
                }
            }
            add(from, end);
        }
        ranges.join(",")
    }

    /// The frame of the function that starts there, if the compiler said so: not of code that came compiled.
    pub fn frame(&self, function: u32) -> Option<u32> {
        self.frames.get(&function).copied()
    }
}

/// The section `.stack_sizes`: an address of four bytes and a size in LEB128, again and again.
fn frames(mut data: &[u8]) -> BTreeMap<u32, u32> {
    let mut frames = BTreeMap::new();
    while let Some((address, rest)) = data.split_first_chunk::<4>() {
        let (mut size, mut shift, mut used) = (0_u32, 0, 0);
        for &byte in rest {
            used += 1;
            size |= u32::from(byte & 0x7f).wrapping_shl(shift);
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        frames.insert(u32::from_le_bytes(*address) & !1, size);
        data = &rest[used..];
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read() {
        let data = [0x1d, 0x0e, 0, 0, 0xd8, 0x02, 0x01, 0x10, 0, 0, 0x08];
        assert_eq!(frames(&data), BTreeMap::from([(0xe1c, 344), (0x1000, 8)]));
    }
}
