//! A hash of the sources of library and plants, so that a board can say what it was built from; and converters' tables for its flash.

use std::path::{Path, PathBuf};
use std::{fs, io};

#[cfg(feature = "flash")]
#[macro_use]
#[path = "src/circuits.rs"]
mod circuits;

fn main() -> io::Result<()> {
    let mut files = Vec::new();
    // In a package there is no library beside us: its version says as much.
    for folder in ["../../src", "src"].map(Path::new) {
        if folder.exists() {
            println!("cargo:rerun-if-changed={}", folder.display());
            collect(folder, &mut files)?;
        }
    }
    files.sort();
    // FNV-1a.
    let mut hash = 0x811c_9dc5_u32;
    for file in files {
        for byte in fs::read(file)? {
            // A checkout may end its lines in its own way.
            if byte != b'\r' {
                hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
            }
        }
    }
    println!("cargo:rustc-env=STIFFSTEP_BUILD={hash}");
    #[cfg(feature = "flash")]
    tables()?;
    Ok(())
}

/// Writes a function for each converter that gives its tables. What the compiler prints for debugging is what it reads: numbers in their
/// shortest form that has the same bits.
#[cfg(feature = "flash")]
fn tables() -> io::Result<()> {
    use std::fmt::Write;
    use stiffstep::switched::Tables;

    let mut text = String::new();
    macro_rules! write {
        ($name:ident [$n:literal, $u:literal, $y:literal, $m:literal, $l:literal, $k:literal]) => {
            let (circuit, scale) = circuits::$name();
            let tables: Tables<f32, $n, $u, $y, $m, $l, $k> =
                circuit.build(scale).map_err(|error| io::Error::other(error.to_string()))?;
            let (name, sizes) = (stringify!($name), [$n, $u, $y, $m, $l, $k].map(|n: usize| n.to_string()).join(", "));
            let _ = writeln!(
                text,
                "pub fn {name}() -> Result<View<'static, f32, {}, {}, {}, {}>, Error> {{\n    static TABLES: Tables<f32, {sizes}> = {tables:?};\n    Ok(TABLES.view())\n}}",
                $n, $u, $y, $k
            );
        };
    }
    every_converter!(write);
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from);
    let out = out.ok_or_else(|| io::Error::other("OUT_DIR is not set"))?;
    fs::write(out.join("tables.rs"), text)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}
