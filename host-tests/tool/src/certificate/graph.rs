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

/// Instructions that may be passed again.
#[derive(Debug)]
pub struct Loop {
    /// The ways in: nearly always one, but compilers make loops with two.
    pub doors: BTreeSet<u32>,
    /// All of it.
    pub members: BTreeSet<u32>,
}

impl Loop {
    /// What a loop is known by: the first of its ways in.
    pub fn header(&self) -> u32 {
        self.doors.first().copied().unwrap_or(0)
    }
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
                Flow::CallThrough => {
                    let target = code.through_registers.with_context(|| {
                        let name = code.name(address);
                        format!("{name} calls through a register at {address:#x}")
                    })?;
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
        let mut found = |members: &BTreeSet<u32>, doors: &BTreeSet<u32>| {
            // Every loop is walked twice.
            if loops.iter().all(|known: &Loop| known.doors != *doors) {
                let (doors, members) = (doors.clone(), members.clone());
                loops.push(Loop { doors, members });
            }
            Ok(2)
        };
        self.whole(&mut found, &|_| 0)?;
        Ok(loops)
    }

    /// The most that a way from the entry to any end can cost: `cost` is that of an instruction, `trips` how often the ways into
    /// a loop are passed at most each time that it is entered; the loop is known by the first of them.
    pub fn longest(
        &self,
        cost: &dyn Fn(u32) -> u64,
        trips: &mut dyn FnMut(u32) -> Result<u64>,
    ) -> Result<u64> {
        let mut known = |_: &BTreeSet<u32>, doors: &BTreeSet<u32>| match doors.first() {
            Some(&header) => trips(header),
            None => Ok(1),
        };
        self.whole(&mut known, cost)
    }

    fn whole(&self, trips: &mut Trips<'_>, cost: &dyn Fn(u32) -> u64) -> Result<u64> {
        let region = Region {
            members: &self.nodes.keys().copied().collect(),
            entries: &BTreeSet::from([self.entry]),
            doors: &BTreeSet::new(),
        };
        let ends = |node: u32| self.next(node).is_empty();
        let longest = self.walk(region, &ends, trips, cost)?;
        longest.context("there is no way out")
    }

    fn next(&self, node: u32) -> &[u32] {
        self.nodes.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The longest way through a region from one of its entries to a node where it may end, `None` if there is none. Parts of the region that
    /// control can come back to are loops.
    fn walk(
        &self,
        region: Region<'_>,
        ends: &dyn Fn(u32) -> bool,
        trips: &mut Trips<'_>,
        cost: &dyn Fn(u32) -> u64,
    ) -> Result<Option<u64>> {
        let mut edges = DiGraphMap::<u32, ()>::new();
        for &from in region.members {
            edges.add_node(from);
            for &to in self.next(from) {
                if region.members.contains(&to) && !region.doors.contains(&to) {
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
            let beyond = beyond.filter_map(|to| longest.get(&to).copied()).max();
            let beyond = if part.iter().any(|&node| ends(node)) {
                Some(beyond.unwrap_or(0))
            } else {
                beyond
            };
            // What leads nowhere is on no way.
            let Some(beyond) = beyond else { continue };
            let own = match part.as_slice() {
                &[node] if !edges.contains_edge(node, node) => cost(node),
                _ => {
                    let doors = doors(&edges, &members, region.entries);
                    self.passes(&members, &doors, ends, trips, cost)?
                }
            };
            for node in part {
                longest.insert(node, own + beyond);
            }
        }
        let entries = region.entries.iter();
        Ok(entries.filter_map(|node| longest.get(node).copied()).max())
    }

    /// The most that a loop can cost from entering to leaving it: all passes but the last go from a way in to a way in, the last to
    /// where the loop is left.
    fn passes(
        &self,
        members: &BTreeSet<u32>,
        doors: &BTreeSet<u32>,
        ends: &dyn Fn(u32) -> bool,
        trips: &mut Trips<'_>,
        cost: &dyn Fn(u32) -> u64,
    ) -> Result<u64> {
        let region = Region {
            members,
            entries: doors,
            doors,
        };
        let comes_back = |node: u32| self.next(node).iter().any(|to| doors.contains(to));
        let is_left =
            |node: u32| ends(node) || self.next(node).iter().any(|to| !members.contains(to));
        let times = trips(members, doors)?;
        let round = self.walk(region, &comes_back, trips, cost)?.unwrap_or(0);
        let last = self.walk(region, &is_left, trips, cost)?.unwrap_or(0);
        Ok(times.saturating_sub(1) * round + last)
    }
}

/// How often the ways into a loop are passed at most, given its instructions and the ways in.
type Trips<'a> = dyn FnMut(&BTreeSet<u32>, &BTreeSet<u32>) -> Result<u64> + 'a;

/// Instructions, where they are entered, and the ways in that are not come back to.
#[derive(Clone, Copy)]
struct Region<'a> {
    members: &'a BTreeSet<u32>,
    entries: &'a BTreeSet<u32>,
    doors: &'a BTreeSet<u32>,
}

/// The ways into a loop.
fn doors(
    edges: &DiGraphMap<u32, ()>,
    members: &BTreeSet<u32>,
    entries: &BTreeSet<u32>,
) -> BTreeSet<u32> {
    let enters = |node: &&u32| {
        let mut before = edges.neighbors_directed(**node, petgraph::Direction::Incoming);
        entries.contains(*node) || before.any(|from| !members.contains(&from))
    };
    members.iter().filter(enters).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(code: &[u16], passes: u64) -> Result<u64> {
        let graph = Graph::new(&Code::of(code), 0)?;
        graph.longest(&|_| 1, &mut |_| Ok(passes))
    }

    /// A loop that is left in its middle: its last pass is shorter. nop; cbz out; three nops; b back; bx lr.
    #[test]
    fn the_last_pass_ends_where_the_loop_is_left() -> Result<()> {
        let code = [0xbf00, 0xb119, 0xbf00, 0xbf00, 0xbf00, 0xe7f9, 0x4770];
        assert_eq!(longest(&code, 3)?, 2 * 6 + 2 + 1);
        Ok(())
    }

    /// movs; a loop of subs and bne; cbz over two nops; bx lr.
    #[test]
    fn the_longest_way_is_found() -> Result<()> {
        let code = [0x2003, 0x3801, 0xd1fd, 0xb109, 0xbf00, 0xbf00, 0x4770];
        assert_eq!(longest(&code, 3)?, 1 + 3 * 2 + 1 + 2 + 1);
        let loops = Graph::new(&Code::of(&code), 0)?.loops()?;
        assert_eq!(loops.len(), 1);
        assert_eq!((loops[0].header(), loops[0].members.len()), (2, 2));
        Ok(())
    }

    /// A loop in a loop: the inner of subs and bne, the outer of that and another subs and bne.
    #[test]
    fn loops_in_loops_multiply() -> Result<()> {
        let code = [0x3801, 0xd1fd, 0x3901, 0xd1fb, 0x4770];
        let graph = Graph::new(&Code::of(&code), 0)?;
        // Both begin at the same instruction: one loop with two ways back.
        assert_eq!(graph.loops()?.len(), 1);
        let code = [0xbf00, 0x3801, 0xd1fd, 0x3901, 0xd1fa, 0x4770];
        let graph = Graph::new(&Code::of(&code), 0)?;
        assert_eq!(graph.loops()?.len(), 2);
        assert_eq!(longest(&code, 5)?, 5 * (1 + 5 * 2 + 2) + 1);
        Ok(())
    }

    /// A loop of two instructions each of which is a way in: cbz to the second; the first, a nop; the second, subs; bne to the first.
    #[test]
    fn a_loop_may_have_two_ways_in() -> Result<()> {
        let code = [0xb101, 0xbf00, 0x3801, 0xd1fc, 0x4770];
        let graph = Graph::new(&Code::of(&code), 0)?;
        let loops = graph.loops()?;
        assert_eq!(loops[0].doors, BTreeSet::from([2, 4]));
        // From one way in to the next there are two instructions at most, and as many from the last one.
        assert_eq!(longest(&code, 4)?, 1 + 3 * 2 + 2 + 1);
        Ok(())
    }

    /// it cc; popcc {r7, pc}; nop; bx lr: a return that may be left out.
    #[test]
    fn conditional_returns_go_on() -> Result<()> {
        assert_eq!(longest(&[0xbf38, 0xbd80, 0xbf00, 0x4770], 1)?, 4);
        Ok(())
    }

    #[test]
    fn jumps_through_registers_have_no_estimate() {
        assert!(longest(&[0x4718], 1).is_err());
        assert!(longest(&[0x4798, 0x4770], 1).is_err());
    }
}
