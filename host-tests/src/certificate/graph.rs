//! The control flow of a function, its loops, and the longest way through it.

use super::code::Code;
use super::thumb::Flow;
use anyhow::{Context, Result, bail};
use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};

/// A function's instructions as far as control can get, by address.
#[derive(Debug)]
pub struct Graph {
    /// Where it starts.
    pub entry: u32,
    /// The instructions and where each can go within the function; code that it jumps to for good belongs to it.
    pub nodes: BTreeMap<u32, Vec<u32>>,
    /// The functions it calls, by where it does.
    pub calls: BTreeMap<u32, u32>,
    /// By how much the stack grows by its instructions all together.
    pub grows: u32,
}

/// Instructions that may be passed again: a loop with one way in.
#[derive(Debug)]
pub struct Loop {
    /// The way in.
    pub header: u32,
    /// All of it.
    pub members: BTreeSet<u32>,
}

impl Graph {
    /// Follows a function from its start.
    pub fn new(code: &Code, entry: u32) -> Result<Self> {
        let mut graph = Graph {
            entry,
            nodes: BTreeMap::new(),
            calls: BTreeMap::new(),
            grows: 0,
        };
        // An address, and how many instructions from there on belong to an IT block.
        let mut open = vec![(entry, 0_u32)];
        while let Some((address, conditional)) = open.pop() {
            if graph.nodes.contains_key(&address) {
                continue;
            }
            let found = code.at(address);
            let found = found.with_context(|| format!("there is no code at {address:#x}"))?;
            let following = address + found.size;
            let mut next = match found.flow {
                Flow::Next => vec![following],
                Flow::Jump(target) => vec![target],
                Flow::Branch(target) => vec![target, following],
                Flow::Call(target) => {
                    graph.calls.insert(address, target);
                    vec![following]
                }
                Flow::Return | Flow::Trap => vec![],
                Flow::Indirect => bail!(
                    "{} jumps through a register or a table at {address:#x}",
                    code.name(address)
                ),
            };
            // Not carried out, it is an instruction like any other.
            if conditional > 0 && !next.contains(&following) {
                next.push(following);
            }
            graph.grows += found.grows;
            let inside = found.conditional.max(conditional.saturating_sub(1));
            for &target in &next {
                open.push((target, if target == following { inside } else { 0 }));
            }
            graph.nodes.insert(address, next);
        }
        Ok(graph)
    }

    /// All loops, inner ones included.
    pub fn loops(&self) -> Result<Vec<Loop>> {
        let mut loops = Vec::new();
        let all = self.nodes.keys().copied().collect();
        self.walk(
            &all,
            self.entry,
            None,
            &mut |region, header| {
                loops.push(Loop {
                    header,
                    members: region.clone(),
                });
                Ok(0)
            },
            &|_| 0,
        )?;
        Ok(loops)
    }

    /// The most that a way from the entry to any end can cost: `cost` is that of an instruction, `trips` how often a loop with that
    /// header is passed at most each time that it is entered.
    pub fn longest(
        &self,
        cost: &dyn Fn(u32) -> u64,
        trips: &mut dyn FnMut(u32) -> Result<u64>,
    ) -> Result<u64> {
        let all = self.nodes.keys().copied().collect();
        self.walk(&all, self.entry, None, &mut |_, header| trips(header), cost)
    }

    /// The longest way from `entry` through a region that does not come back to `header`. Parts of the region that control can come
    /// back to are loops: each is passed as often as `trips` says, every time by its own longest way.
    fn walk(
        &self,
        region: &BTreeSet<u32>,
        entry: u32,
        header: Option<u32>,
        trips: &mut dyn FnMut(&BTreeSet<u32>, u32) -> Result<u64>,
        cost: &dyn Fn(u32) -> u64,
    ) -> Result<u64> {
        let mut edges = DiGraphMap::<u32, ()>::new();
        for &from in region {
            edges.add_node(from);
            for &to in self.nodes.get(&from).into_iter().flatten() {
                if region.contains(&to) && Some(to) != header {
                    edges.add_edge(from, to, ());
                }
            }
        }
        // Successors come before their predecessors.
        let mut longest = BTreeMap::<u32, u64>::new();
        for part in kosaraju_scc(&edges) {
            let members: BTreeSet<u32> = part.iter().copied().collect();
            let leaves = |&node: &u32| edges.neighbors(node).filter(|to| !members.contains(to));
            let beyond = part.iter().flat_map(leaves);
            let beyond = beyond.filter_map(|to| longest.get(&to)).max();
            let beyond = beyond.copied().unwrap_or(0);
            let repeats =
                part.len() > 1 || part.iter().any(|&node| edges.contains_edge(node, node));
            let own = match part.as_slice() {
                &[node] if !repeats => cost(node),
                _ => {
                    let enters = |&&node: &&u32| {
                        node == entry
                            || edges
                                .neighbors_directed(node, petgraph::Direction::Incoming)
                                .any(|from| !members.contains(&from))
                    };
                    let doors: Vec<u32> = part.iter().filter(enters).copied().collect();
                    let &[door] = doors.as_slice() else {
                        bail!("a loop at {:#x} has {} ways in", part[0], doors.len());
                    };
                    let times = trips(&members, door)?;
                    times * self.walk(&members, door, Some(door), trips, cost)?
                }
            };
            for node in part {
                longest.insert(node, own + beyond);
            }
        }
        longest
            .get(&entry)
            .copied()
            .context("a region without its entry")
    }
}
