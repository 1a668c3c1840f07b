//! A workload's run as one line of the log.

use crate::count::Counter;
use crate::stack::Paint;
use semihosting::experimental::env;
use stiffstep_plants::workload::Workload;

/// Runs workloads and logs each, all or those whose plant's name starts with the emulator's first argument.
pub fn run_all(workloads: impl Iterator<Item = &'static Workload>) {
    let arguments = env::args::<256>();
    // The first is the image's own name.
    let group = match &arguments {
        Ok(arguments) => { arguments }.nth(1).and_then(Result::ok).unwrap_or(""),
        Err(_) => "",
    };
    if let Some(counter) = Counter::new() {
        for workload in workloads.filter(|workload| workload.plant.starts_with(group)) {
            run_and_log(workload, counter);
        }
    }
}

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
