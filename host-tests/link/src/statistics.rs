//! Rate, latency, jitter and overruns, as a table.

use comfy_table::{CellAlignment, Table, presets};
use stiffstep::hil::protocol::{Hello, Status};
use stiffstep::hil::{Cause, Span};

/// Steps between a sample and the first step that its answer affects.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turnaround {
    /// The longest.
    pub most: u32,
    sum: u64,
    count: u64,
}

impl Turnaround {
    /// Takes another one in.
    pub fn take(&mut self, steps: u32) {
        self.most = self.most.max(steps);
        self.sum += u64::from(steps);
        self.count += 1;
    }

    /// The mean; NaN if there was none.
    pub fn mean(&self) -> f64 {
        self.sum as f64 / self.count as f64
    }
}

/// The table of a run.
pub fn table(hello: &Hello<String>, status: &Status, loop_: Option<Turnaround>) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    let timing = &status.timing;
    let microseconds = |ticks: f64| ticks / f64::from(timing.frequency.max(1)) * 1e6;
    let span = |span: &Span| {
        format!(
            "{:.1} / {:.1} / {:.1} us",
            microseconds(span.least.into()),
            microseconds(span.sum as f64 / f64::from(span.count.max(1))),
            microseconds(span.most.into())
        )
    };
    let ticks = timing.began.most - timing.began.least;
    let jitter = format!("{}; {ticks} ticks", span(&timing.began));
    let shown = if timing.latched {
        "one period: outputs change when the next one begins"
    } else {
        "as soon as they are driven"
    };
    let time = if hello.emulated {
        "virtual time of the emulator"
    } else {
        "time of the board"
    };
    table.set_header(["", &format!("{} on {}", hello.plant, hello.board)]);
    let rate = f64::from(timing.frequency) / f64::from(timing.period.max(1));
    let counters = &status.counters;
    let mut row = |name: &str, value: String| _ = table.add_row([name.to_owned(), value]);
    row("all times are", time.to_owned());
    row("rate", format!("{rate:.1} steps/s, h = {} s", hello.h));
    row("steps", status.step.to_string());
    row("a step takes (least / mean / most)", span(&timing.stepped));
    row("all work of a period takes", span(&timing.worked));
    row("outputs are driven after", span(&timing.drove));
    row("latency: input to output", shown.to_owned());
    row("jitter: period to step", jitter);
    if let Some(turnaround) = loop_ {
        let steps = format!("{:.1} / {} steps", turnaround.mean(), turnaround.most);
        row("loop over the link (mean / most)", steps);
    }
    row("overruns: periods missed", counters.missed.to_string());
    row("steps shortened", counters.shortened.to_string());
    let steps = format!("{} / {}", counters.unconverged, counters.failed);
    row("steps unconverged / failed", steps);
    let requests = format!("{} / {}", counters.granted, counters.refused);
    row("requests granted / refused", requests);
    let frames = format!("{} / {}", counters.broken, counters.dropped);
    row("frames broken / events dropped", frames);
    if let Some(stack) = status.stack {
        let bytes = format!("{} / {} bytes", stack.used, stack.room);
        row("stack used / there is", bytes);
    }
    if let Some(cause) = status.cause {
        let now = if status.safe { "now" } else { "earlier" };
        row("safe state", format!("{now}: {}", reason(cause)));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// Why a board went to its safe state, and how it gets out of it.
pub fn reason(cause: Cause) -> &'static str {
    match cause {
        Cause::Overrun => "a period was missed; `state reset` starts the plant again",
        Cause::Silence => "the host was silent; `state reset` starts the plant again",
        Cause::Disabled => "the enable input is off",
        Cause::Watchdog => "the watchdog found the loop stopped; `state reset` starts the plant",
        Cause::Panic => "the firmware panicked; `state reset` starts the plant",
        Cause::Fault => "a fault of the processor; `state reset` starts the plant",
    }
}
