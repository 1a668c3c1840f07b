//! A hash of the sources of library and plants, so that a board can say what it was built from.

use std::path::{Path, PathBuf};
use std::{fs, io};

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
    Ok(())
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
