//! Gives the linker its scripts; the memory map comes with the board.

fn main() {
    stiffstep_linker::scripts();
}
