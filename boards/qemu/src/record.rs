//! A workload's run as one line of the log.

use crate::count::Counter;
use crate::stack::Paint;
use semihosting::experimental::env;
use stiffstep_plants::workload::{Record, Workload};

/// Runs workloads and logs each, all or those whose plant's name starts with the emulator's first argument. A number type, a number
/// of steps and a number of workloads may follow in it, all apart by semicolons.
pub fn run_all(workloads: impl Iterator<Item = &'static Workload>) {
    with_argument(|argument| {
        let mut parts = argument.split(';');
        let group = parts.next().unwrap_or("");
        let scalar = parts.next().unwrap_or("");
        let mut number = || parts.next().and_then(|number| number.parse().ok());
        let (steps, count) = (number(), number());
        let chosen = |workload: &&Workload| {
            workload.plant.starts_with(group) && workload.scalar.starts_with(scalar)
        };
        if let Some(counter) = Counter::new() {
            for workload in workloads
                .filter(chosen)
                .take(count.unwrap_or(u32::MAX) as usize)
            {
                let steps = steps.unwrap_or(workload.steps);
                run_and_log(&Workload { steps, ..*workload }, counter);
            }
        }
    });
}

/// Does something with the emulator's first argument, which is empty if there is none.
pub fn with_argument(work: impl FnOnce(&str)) {
    let arguments = env::args::<256>();
    // The first is the image's own name.
    work(match &arguments {
        Ok(arguments) => { arguments }.nth(1).and_then(Result::ok).unwrap_or(""),
        Err(_) => "",
    });
}

/// Runs a workload and logs its bits, its instructions a step and its stack.
pub fn run_and_log(workload: &Workload, counter: Counter) {
    let mut counter = counter.restarted();
    let paint = Paint::new();
    let record = workload.run(&mut counter);
    let stack = paint.used();
    let name = [workload.plant, workload.scalar, workload.method];
    log(name, &record, &counter, stack);
}

/// Logs a run: plant, number type and method, the bits that it left behind, what it cost.
///
/// The host takes the line apart at its bars; see the module `emulator::record` there.
pub fn log(name: [&str; 3], record: &Record, counter: &Counter, stack: u32) {
    let [plant, scalar, method] = name;
    #[cfg(all(feature = "plain", not(feature = "log")))]
    semihosting::println!(
        "record|{plant}|{scalar}|{method}|{}|{:x}|{:x}|{:x?}|{}|{}|{}|{stack}",
        record.steps,
        record.hash,
        record.time,
        record.final_state(),
        counter.least,
        counter.most,
        counter.total,
    );
    #[cfg(feature = "log")]
    defmt::println!(
        "record|{=str}|{=str}|{=str}|{=u32}|{=u64:x}|{=u64:x}|{=[?]:x}|{=u32}|{=u32}|{=u64}|{=u32}",
        plant,
        scalar,
        method,
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
