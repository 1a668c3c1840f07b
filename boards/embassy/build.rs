//! Gives the linker the Pico's memory map, and the linker scripts.

fn main() -> std::io::Result<()> {
    stiffstep_linker::scripts();
    stiffstep_linker::memory("../rp2040/memory/pico.x")
}
