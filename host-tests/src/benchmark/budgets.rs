//! What our own steps may cost and how far they may be off: the file `budgets.toml`, read, kept to, and measured anew.

use super::rows::Row;
use crate::callgrind::processor;
use crate::certificate::report::thousands;
pub use crate::emulator::firmware::compiler;
use crate::emulator::image::Size;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

/// All budgets.
#[derive(Clone, Debug, Deserialize)]
pub struct Budgets {
    /// The compiler they were measured with.
    pub compiler: String,
    /// The processor that the host's counts were measured on.
    #[serde(default)]
    pub processor: String,
    /// The most instructions of a step over the fewest, in single precision on a board that has it in hardware.
    pub jitter: f64,
    /// What steps may take.
    pub steps: Vec<Budget>,
    /// What images may take.
    pub images: Vec<ImageBudget>,
}

/// What a step of a problem may take.
#[derive(Clone, Debug, Deserialize)]
pub struct Budget {
    /// The problem.
    pub problem: String,
    /// The board, or `host`.
    pub target: String,
    /// The number type.
    pub scalar: String,
    /// The method.
    pub method: String,
    /// Instructions a step, or of a whole adaptive run.
    pub instructions: Option<f64>,
    /// Cycles a step by the core's published table.
    pub cycles: Option<f64>,
    /// Bytes of stack.
    pub stack: Option<u32>,
    /// The most instructions that are promised: an update does not go beyond.
    pub promised: Option<f64>,
    /// The largest error that is promised.
    pub error: Option<f64>,
}

/// What an image of one plant may take.
#[derive(Clone, Debug, Deserialize)]
pub struct ImageBudget {
    /// The image.
    pub image: String,
    /// The board.
    pub target: String,
    /// Bytes of the step's code.
    pub code: u64,
    /// Bytes of variables and stack together.
    pub ram: u64,
    /// Bytes of code that are promised.
    pub promised_code: u64,
    /// Bytes of RAM that are promised.
    pub promised_ram: u64,
}

/// How far above a measured count a budget lies: less than a slow-down that matters, more than a harmless change.
const MARGIN: f64 = 1.015;

/// What another compiler than the file's is allowed.
const OTHER_COMPILER: f64 = 1.1;

const HEADER: &str = "# What a step may take: instructions (a whole run's if it is adaptive), cycles by the core's published table, and bytes of stack, 1.5 %
# above what was measured for instructions and cycles, just that for bytes; each problem in an image of its own. The tests fail beyond.
# To change a budget on purpose, edit its line, or have all of them measured anew: `cargo xtask budgets --update`. With another compiler
# than this one everything may be 10 % more, and on another processor what the host counts.
#
# `promised` and `error` are what the project promises; an update never goes beyond, and no compiler does.
";

/// Where the file is.
pub fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("budgets.toml")
}

impl Budgets {
    /// Reads the file.
    pub fn read() -> Result<Self> {
        let path = path();
        let text = fs::read_to_string(&path)
            .with_context(|| format!("{} cannot be read", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} makes no sense", path.display()))
    }

    /// The budget of a row.
    pub fn of(&self, row: &Row) -> Option<&Budget> {
        self.steps.iter().find(|budget| budget.is_of(row))
    }

    /// In words, everything that exceeds its budget.
    pub fn excess(&self, rows: &[Row]) -> Result<Vec<String>> {
        let compiler = compiler()?;
        Ok(rows
            .iter()
            .filter_map(|row| Some((row, self.of(row)?)))
            .flat_map(|(row, budget)| budget.excess(row, &self.allowance(&compiler, &row.target)))
            .collect())
    }

    /// In words, whether an image exceeds its budget.
    pub fn excess_of_image(&self, image: &str, size: Size, stack: u32) -> Result<Vec<String>> {
        let allowance = self.allowance(&compiler()?, "");
        let budget = self.images.iter().find(|budget| budget.image == image);
        let budget = budget.with_context(|| format!("there is no budget for the image {image}"))?;
        let name = format!("the image {image} on {}", budget.target);
        let ram = size.ram + u64::from(stack);
        let figures = [
            (
                "bytes of code",
                size.step,
                budget.code,
                budget.promised_code,
            ),
            ("bytes of RAM", ram, budget.ram, budget.promised_ram),
        ];
        let excess = figures.map(|(unit, value, most, promised)| {
            let figure = Figure {
                name: &name,
                unit,
                value: value as f64,
            };
            figure.over(Some(most as f64), Some(promised as f64), &allowance)
        });
        Ok(excess.into_iter().flatten().collect())
    }

    /// What this compiler may take more than the file's, and on the host this processor.
    fn allowance(&self, compiler: &str, target: &str) -> Allowance {
        let processor = processor();
        let (this, of) = if compiler != self.compiler {
            (compiler, &self.compiler)
        } else if target == "host" && processor != self.processor {
            (processor.as_str(), &self.processor)
        } else {
            return Allowance {
                factor: 1.0,
                remark: String::new(),
            };
        };
        Allowance {
            factor: OTHER_COMPILER,
            remark: format!(
                " (with 10 % of slack, because this is {this} and the budgets are for {of})"
            ),
        }
    }

    /// The file with what was measured now; rows that have no budget yet get one.
    pub fn updated(mut self, rows: &[Row], images: &[(&str, Size, u32)]) -> Result<Self> {
        self.compiler = compiler()?;
        if rows.iter().any(|row| row.target == "host") {
            self.processor = processor();
        }
        for row in rows {
            if self.of(row).is_none() {
                self.steps.push(Budget::none(row));
            }
        }
        for budget in &mut self.steps {
            if let Some(row) = rows.iter().find(|row| budget.is_of(row)) {
                let most = (row.instructions_per_step * MARGIN).ceil();
                budget.instructions = Some(most.min(budget.promised.unwrap_or(most)));
                budget.cycles = row.cycles_per_step.map(|cycles| (cycles * MARGIN).ceil());
                budget.stack = row.stack;
            }
        }
        for budget in &mut self.images {
            if let Some((_, size, stack)) = images.iter().find(|(name, ..)| *name == budget.image) {
                budget.code = size.step.min(budget.promised_code);
                budget.ram = (size.ram + u64::from(*stack)).min(budget.promised_ram);
            }
        }
        Ok(self)
    }

    /// The text of the file.
    pub fn text(&self) -> Result<String> {
        let (mut text, exact) = (String::from(HEADER), |x: f64| format!("{x:?}"));
        writeln!(text, "compiler = {:?}", self.compiler)?;
        writeln!(text, "processor = {:?}", self.processor)?;
        writeln!(
            text,
            "\n# The most instructions of a step over the fewest, single precision on Cortex-M4F."
        )?;
        writeln!(text, "jitter = {:?}\n\nsteps = [", self.jitter)?;
        for budget in &self.steps {
            write!(
                text,
                "  {{ problem = {:?}, target = {:?}, scalar = {:?}, method = {:?}",
                budget.problem, budget.target, budget.scalar, budget.method
            )?;
            let figures = [
                ("instructions", budget.instructions.map(exact)),
                ("cycles", budget.cycles.map(exact)),
                ("stack", budget.stack.map(|bytes| bytes.to_string())),
                ("promised", budget.promised.map(exact)),
                ("error", budget.error.map(exact)),
            ];
            for (name, figure) in figures {
                if let Some(figure) = figure {
                    write!(text, ", {name} = {figure}")?;
                }
            }
            writeln!(text, " }},")?;
        }
        writeln!(
            text,
            "]\n\n# Images of one plant: bytes of the step's code, and of variables and stack together.\nimages = ["
        )?;
        for budget in &self.images {
            writeln!(
                text,
                "  {{ image = {:?}, target = {:?}, code = {}, ram = {}, promised_code = {}, promised_ram = {} }},",
                budget.image,
                budget.target,
                budget.code,
                budget.ram,
                budget.promised_code,
                budget.promised_ram
            )?;
        }
        writeln!(text, "]")?;
        Ok(text)
    }
}

/// What another compiler may take more.
struct Allowance {
    factor: f64,
    remark: String,
}

/// A measured figure with its name.
struct Figure<'a> {
    name: &'a str,
    unit: &'a str,
    value: f64,
}

impl Figure<'_> {
    /// In words, by how much it exceeds its budget or what is promised.
    fn over(
        &self,
        most: Option<f64>,
        promised: Option<f64>,
        allowance: &Allowance,
    ) -> Option<String> {
        let Figure { name, unit, value } = *self;
        let above = |limit: f64| {
            let by = value - limit;
            format!(
                "{name}: {} {unit}, {} ({:.1} %) above",
                thousands(value as u64),
                thousands(by.ceil() as u64),
                100.0 * by / limit
            )
        };
        if let Some(promised) = promised.filter(|&promised| value > promised) {
            return Some(format!(
                "{} the {} that are promised: this has to be made cheaper",
                above(promised),
                thousands(promised as u64)
            ));
        }
        let most = most? * allowance.factor;
        (value > most).then(|| {
            format!(
                "{} the budget of {}{}; if that is wanted, raise it in host-tests/budgets.toml, or all budgets with `cargo xtask budgets --update`",
                above(most),
                thousands(most as u64),
                allowance.remark
            )
        })
    }
}

impl Budget {
    fn none(row: &Row) -> Self {
        Budget {
            problem: row.problem.clone(),
            target: row.target.clone(),
            scalar: row.scalar.clone(),
            method: row.method.clone(),
            instructions: None,
            cycles: None,
            stack: None,
            promised: None,
            error: None,
        }
    }

    fn is_of(&self, row: &Row) -> bool {
        [&self.problem, &self.target, &self.scalar, &self.method]
            == [&row.problem, &row.target, &row.scalar, &row.method]
    }

    fn excess(&self, row: &Row, allowance: &Allowance) -> Vec<String> {
        let name = [&*row.problem, &row.method, &row.scalar].join(", ");
        let name = format!("{name} on {}", row.target);
        let figure = |unit, value| Figure {
            name: &name,
            unit,
            value,
        };
        let instructions = figure("instructions a step", row.instructions_per_step);
        let mut excess = Vec::new();
        excess.extend(instructions.over(self.instructions, self.promised, allowance));
        if let Some(cycles) = row.cycles_per_step {
            let cycles = figure("cycles a step by the core's table", cycles);
            excess.extend(cycles.over(self.cycles, None, allowance));
        }
        // Where floating point is software, data make a step dearer.
        let hardware = row.target == "m4f" && row.scalar == "f32";
        if let Some(most) = row.instructions_max.filter(|_| hardware) {
            let dearest = figure("instructions in the dearest step", most.into());
            excess.extend(dearest.over(None, self.promised, allowance));
        }
        if let Some(stack) = row.stack {
            let stack = figure("bytes of stack", stack.into());
            excess.extend(stack.over(self.stack.map(f64::from), None, allowance));
        }
        // An error that is not known is one that is too large.
        let error = row.error.unwrap_or(f64::INFINITY);
        if let Some(most) = self.error.filter(|&most| error > most) {
            let promise = format!("at most {most:.1e} is promised");
            excess.push(format!("{name}: an error of {error:.1e}, {promise}"));
        }
        excess
    }
}
