//! Recordings: one line a sample, as comma-separated values, with what was changed as comments.

use super::names::{Names, label};
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use stiffstep::hil::protocol::{Event, Hello};

/// A recording that is being written.
pub struct Recorder {
    file: BufWriter<File>,
    h: f64,
    /// Samples written.
    pub samples: u64,
}

impl Recorder {
    /// Begins a recording.
    pub fn create(path: &Path, hello: &Hello<String>, names: &Names) -> Result<Self> {
        let file =
            File::create(path).with_context(|| format!("{} cannot be written", path.display()))?;
        let mut file = BufWriter::new(file);
        let (plant, board, h) = (&hello.plant, &hello.board, hello.h);
        writeln!(file, "# {plant} on {board}, h = {h} s")?;
        let columns = names.inputs.iter().chain(&names.outputs).map(label);
        let columns: Vec<String> = columns.collect();
        writeln!(file, "step,t [s],{}", columns.join(","))?;
        Ok(Recorder {
            file,
            h: hello.h.into(),
            samples: 0,
        })
    }

    /// Writes down what the board told, if it is worth it. Numbers are written so that they are read back to the bit.
    pub fn take(&mut self, event: &Event<String>) -> Result<()> {
        match event {
            Event::Sample(sample) => {
                let t = (f64::from(sample.step) + 1.0) * self.h;
                write!(self.file, "{},{t}", sample.step)?;
                for value in sample.inputs.iter().chain(&sample.outputs) {
                    write!(self.file, ",{value}")?;
                }
                writeln!(self.file)?;
                self.samples += 1;
            }
            Event::Changed { step, change } => {
                writeln!(self.file, "# before step {step}: {change:?}")?;
            }
            Event::Overrun { step, missed, .. } => {
                writeln!(self.file, "# before step {step}: {missed} periods missed")?;
            }
            Event::Failed { step, error } => {
                writeln!(self.file, "# step {step} failed: {error}")?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Ends it.
    pub fn finish(mut self) -> Result<u64> {
        self.file.flush()?;
        Ok(self.samples)
    }
}

/// A recording that is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Its first line.
    pub title: String,
    /// The names of the columns after step and time.
    pub columns: Vec<String>,
    /// Times and values.
    pub rows: Vec<(f64, Vec<f64>)>,
}

impl Recording {
    /// Reads one.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        let mut recording = Recording::default();
        for (number, line) in text.lines().enumerate() {
            let place = || format!("{}, line {}", path.display(), number + 1);
            if let Some(comment) = line.strip_prefix("# ") {
                if recording.title.is_empty() {
                    comment.clone_into(&mut recording.title);
                }
                continue;
            }
            let mut fields = line.split(',').skip(1);
            let time = fields.next().with_context(place)?;
            if recording.columns.is_empty() {
                recording.columns = fields.map(str::to_owned).collect();
                continue;
            }
            let time = time.parse().with_context(place)?;
            let values = fields.map(str::parse).collect::<Result<_, _>>();
            recording.rows.push((time, values.with_context(place)?));
        }
        Ok(recording)
    }
}
