//! Gives the linker the STM32's memory map, and the linker scripts.

fn main() -> std::io::Result<()> {
    stiffstep_linker::scripts();
    stiffstep_linker::memory("../stm32f4/memory/stm32f4.x")
}
