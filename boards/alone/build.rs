//! Gives the linker its scripts.

fn main() {
    stiffstep_linker::scripts();
}
