//! A workload's run as one line of the log.

use crate::count::Counter;
use crate::stack::Paint;
use stiffstep_plants::workload::Workload;

/// Runs a workload and logs its bits, its instructions a step and its stack.
///
/// The host takes the line apart at its bars; see the module `emulator::record` there.
pub fn run_and_log(workload: &Workload, counter: Counter) {
    let mut counter = counter.restarted();
    let paint = Paint::new();
    let record = workload.run(&mut counter);
    let stack = paint.used();
    defmt::println!(
        "record|{=str}|{=str}|{=str}|{=u32}|{=u64:x}|{=u64:x}|{=[?]:x}|{=u32}|{=u32}|{=u64}|{=u32}",
        workload.plant,
        workload.scalar,
        workload.method,
        record.steps,
        record.hash,
        record.time,
        record.final_state(),
        counter.least,
        counter.most,
        counter.total,
        stack,
    );
}
