//! The longest way through a step's code, in instructions and in cycles, and the deepest stack.
//!
//! The control-flow graph of the step and of every function that it calls is read from the image, and the longest way through it is
//! taken: both sides of every branch count, whatever the data, those that report an error included. What a graph does not tell is how
//! often a loop goes round. The length of a loop is the longest that was *seen* in traced steps, and [`Estimate::steady`] says whether
//! it was the same every time. Nothing proves that no step goes round more often, so the result is an estimate and not a bound. Copies of
//! memory are for sizes that are known when a step is compiled; their loops for other sizes do not run, and count one pass.

use super::code::Code;
use super::cycles::Weights;
use super::graph::{Graph, Loop};
use super::trace::Seen;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::collections::BTreeMap;

/// An estimate from the code with loop counts that were seen, and what it rests on.
#[derive(Clone, Debug, Serialize)]
pub struct Estimate {
    /// Instructions of a step.
    pub instructions: u64,
    /// The most cycles of a step by the core's table, every branch taken; unknown if there is no table.
    pub cycles: Option<u64>,
    /// Functions that were followed.
    pub functions: usize,
    /// Loops among them.
    pub loops: usize,
    /// Whether every loop that ran had one length in all traced steps. Copies of memory have that of what they copy.
    pub steady: bool,
}

/// Everything that a step can reach.
#[derive(Debug)]
pub struct Reach {
    entry: u32,
    graphs: BTreeMap<u32, Graph>,
    /// All loops, by their headers.
    pub loops: BTreeMap<u32, Loop>,
}

impl Reach {
    /// Follows a function and all that it calls.
    pub fn new(code: &Code, entry: u32) -> Result<Self> {
        let mut reach = Reach {
            entry,
            graphs: BTreeMap::new(),
            loops: BTreeMap::new(),
        };
        let mut open = vec![entry];
        while let Some(function) = open.pop() {
            if reach.graphs.contains_key(&function) {
                continue;
            }
            let graph = Graph::new(code, function)?;
            let loops = graph.loops();
            let loops = loops.with_context(|| format!("in {}", code.name(function)))?;
            reach
                .loops
                .extend(loops.into_iter().map(|l| (l.header(), l)));
            open.extend(graph.calls.values());
            reach.graphs.insert(function, graph);
        }
        Ok(reach)
    }

    /// Bytes of code, constants among them included.
    pub fn bytes(&self, code: &Code) -> u32 {
        let sizes = self.functions(code).map(|(_, size)| size);
        sizes.sum()
    }

    /// What an emulator may be told to log.
    pub fn ranges(&self, code: &Code) -> String {
        let ranges = self.functions(code);
        let ranges: Vec<String> = ranges
            .map(|(start, size)| format!("{start:#x}+{size:#x}"))
            .collect();
        ranges.join(",")
    }

    /// The functions, those that are jumped to for good included, with their sizes.
    fn functions<'a>(&'a self, code: &'a Code) -> impl Iterator<Item = (u32, u32)> + 'a {
        code.functions()
            .iter()
            .filter(|(start, function)| {
                let inside = **start..**start + function.size;
                let mut graphs = self.graphs.values();
                graphs.any(|graph| graph.nodes.range(inside.clone()).next().is_some())
            })
            .map(|(&start, function)| (start, function.size))
    }

    /// The longest way, given what traced steps showed of the loops.
    pub fn estimate(
        &self,
        code: &Code,
        seen: &Seen,
        weights: Option<&Weights>,
    ) -> Result<Estimate> {
        let cost = |own: &dyn Fn(u32) -> u64| {
            self.longest(code, self.entry, (seen, own), &mut BTreeMap::new(), 0)
        };
        let instructions = cost(&|_| 1)?;
        let cycles = weights.map(|weights| {
            cost(&|at| {
                code.at(at)
                    .map_or(0, |instruction| weights.most(&instruction))
            })
        });
        let mut steady = seen.trips.values();
        Ok(Estimate {
            instructions,
            cycles: cycles.transpose()?,
            functions: self.graphs.len(),
            loops: self.loops.len(),
            steady: steady.all(|(least, most)| least == most),
        })
    }

    /// The most that a function and all that it calls cost, each instruction what `own` says.
    fn longest(
        &self,
        code: &Code,
        function: u32,
        (seen, own): (&Seen, &dyn Fn(u32) -> u64),
        known: &mut BTreeMap<u32, u64>,
        depth: usize,
    ) -> Result<u64> {
        if let Some(&count) = known.get(&function) {
            return Ok(count);
        }
        let graph = self.graph(code, function, depth)?;
        let mut called = BTreeMap::new();
        for (&at, &callee) in &graph.calls {
            let count = self.longest(code, callee, (seen, own), known, depth + 1)?;
            called.insert(at, count);
        }
        let cost = |at: u32| own(at) + called.get(&at).copied().unwrap_or(0);
        let mut trips = |header: u32| {
            let name = code.name(header);
            match seen.trips.get(&header) {
                Some((_, most)) => Ok(*most),
                None if moves_memory(&name) => Ok(1),
                None => bail!("a loop at {header:#x} in {name} did not run in the traced steps"),
            }
        };
        let count = graph.longest(&cost, &mut trips)?;
        known.insert(function, count);
        Ok(count)
    }

    /// The deepest stack: the frames of the deepest chain of calls. The compiler says how large its frames are; for code that came
    /// compiled the instructions that grow the stack do.
    pub fn stack(&self, code: &Code) -> Result<u32> {
        self.depth_of(code, self.entry, 0)
    }

    fn depth_of(&self, code: &Code, function: u32, depth: usize) -> Result<u32> {
        let graph = self.graph(code, function, depth)?;
        let mut deepest = 0;
        for &callee in graph.calls.values() {
            deepest = deepest.max(self.depth_of(code, callee, depth + 1)?);
        }
        // What is jumped to for good takes the place of the frame, but may be larger.
        let frames = graph.nodes.keys().filter_map(|&at| code.frame(at));
        let said = code.frame(function).and(frames.max());
        Ok(said.unwrap_or(graph.grows) + deepest)
    }

    fn graph(&self, code: &Code, function: u32, depth: usize) -> Result<&Graph> {
        // Deeper than there are functions: one calls itself.
        if depth > self.graphs.len() {
            bail!("{} calls itself", code.name(function));
        }
        self.graphs
            .get(&function)
            .with_context(|| format!("{} was not followed", code.name(function)))
    }
}

/// Whether a function copies or clears memory: its loops are for sizes that are known when a step is compiled, and those that did not run
/// are for other sizes.
fn moves_memory(name: &str) -> bool {
    let parts = ["memcpy", "memmove", "memset", "memclr"];
    parts.iter().any(|part| name.contains(part))
}
