//! Sizes, read from an image's ELF file.

use anyhow::{Context, Result};
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SectionKind, SymbolKind, elf};
use std::fs;
use std::path::Path;

/// What an image takes of a board's memories, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Code and constants.
    pub flash: u64,
    /// Variables, without the stack.
    pub ram: u64,
    /// The code of the steps alone, without arithmetic that the processor lacks.
    pub step: u64,
}

/// The sizes of an image.
pub fn size(image: &Path) -> Result<Size> {
    let bytes = fs::read(image).with_context(|| format!("{} cannot be read", image.display()))?;
    let file = object::File::parse(&*bytes)
        .with_context(|| format!("{} is not an ELF file", image.display()))?;
    let mut size = Size::default();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags } = section.flags() else {
            continue;
        };
        // Sections that are not loaded, such as the strings of the log, cost nothing.
        if sh_flags & u64::from(elf::SHF_ALLOC) == 0 {
            continue;
        }
        let writable = sh_flags & u64::from(elf::SHF_WRITE) != 0;
        if writable {
            size.ram += section.size();
        }
        // Initial values of variables are kept in flash.
        if !writable || section.kind() == SectionKind::Data {
            size.flash += section.size();
        }
    }
    size.step = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text)
        .filter(|symbol| symbol.name().is_ok_and(is_step))
        .map(|symbol| symbol.size())
        .sum();
    Ok(size)
}

/// The symbols of an image that allocate memory, or would.
pub fn heap_symbols(image: &Path) -> Result<Vec<String>> {
    let bytes = fs::read(image).with_context(|| format!("{} cannot be read", image.display()))?;
    let file = object::File::parse(&*bytes)
        .with_context(|| format!("{} is not an ELF file", image.display()))?;
    let names = file
        .symbols()
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    let parts = "malloc calloc __rust_alloc __rust_realloc GlobalAlloc _sbrk".split(' ');
    let allocates = |name: &String| parts.clone().any(|part| name.contains(part));
    Ok(names.filter(allocates).collect())
}

/// Where the function begins whose mangled name has this in it.
pub fn function(image: &Path, name: &str) -> Result<u32> {
    let bytes = fs::read(image).with_context(|| format!("{} cannot be read", image.display()))?;
    let file = object::File::parse(&*bytes)
        .with_context(|| format!("{} is not an ELF file", image.display()))?;
    let found = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text)
        .find(|symbol| symbol.name().is_ok_and(|symbol| symbol.contains(name)));
    let found = found.with_context(|| format!("no function `{name}`"))?;
    // The last bit says that the code is Thumb's.
    Ok(found.address() as u32 & !1)
}

/// Whether a symbol belongs to a step: the workload's out-of-line step, or what the compiler left of the core outside it. What
/// starts a simulation runs once, and is in its caller or beside it as the compiler likes: it is not counted.
fn is_step(symbol: &str) -> bool {
    let name = format!("{:#}", rustc_demangle::demangle(symbol));
    let core = name.trim_start_matches('<').starts_with("stiffstep::");
    let start = name.starts_with("stiffstep::drive::simulation::Simulation<")
        || name.starts_with("stiffstep::step::methods::");
    core && !start || name.starts_with("stiffstep_plants::workload::step")
}
