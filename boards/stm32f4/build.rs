//! Gives the linker the board's memory map, and the linker scripts.

fn main() -> std::io::Result<()> {
    stiffstep_linker::scripts();
    stiffstep_linker::memory("memory/stm32f4.x")
}
