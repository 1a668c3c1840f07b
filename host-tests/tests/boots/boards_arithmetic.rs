//! Software floating point on boards: the host's bits, and what a call costs.

use std::fs;
use std::path::{Path, PathBuf};
use stiffstep_host_tests::arithmetic::{DOUBLE, Routine, SINGLE};
use stiffstep_host_tests::emulator::bench::{bits_image, image, soft_image};
use stiffstep_host_tests::emulator::firmware::workspace;
use stiffstep_host_tests::emulator::{Board, board};

/// The image: for two boards as it would be flashed, for the others built with less care, because what is compared is written in
/// assembly and the same in both.
fn arithmetic(name: &str) -> (Board, PathBuf) {
    let board = board(name).unwrap();
    let image = match name {
        "m0" | "m4f" => image(board, "arithmetic"),
        _ => soft_image(board, "arithmetic"),
    };
    (board, image.unwrap())
}

/// All pairs of special numbers and of numbers at rounding boundaries.
fn same(name: &str, routines: &[Routine]) {
    let (board, image) = arithmetic(name);
    let wrong = |routine: &Routine| routine.same_on_grid(board, &image).err();
    let wrong = routines.iter().filter_map(wrong);
    let differences: Vec<String> = wrong.map(|error| format!("{error:#}")).collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn single_precision_is_the_hosts() {
    same("m0", &SINGLE);
}

#[test]
fn double_precision_is_the_hosts() {
    same("m4f", &DOUBLE);
}

/// The same routines on processors in between: Thumb-1 code on a Cortex-M3, and products without the long multiplication.
#[test]
fn other_processors_give_the_hosts_bits() {
    same("m3", &SINGLE);
    same("m3", &DOUBLE);
    same("m33", &DOUBLE);
}

/// A hundred million pairs for each routine.
fn same_on_many(name: &str, routines: &[Routine]) {
    let (board, image) = arithmetic(name);
    let wrong = |routine: &Routine| routine.same_on_pairs(board, &image, 100_000_000).err();
    let (first, second) = routines.split_at(routines.len() / 2);
    let halves = std::thread::scope(|scope| {
        let first = scope.spawn(|| first.iter().filter_map(wrong).collect::<Vec<_>>());
        let second = second.iter().filter_map(wrong).collect::<Vec<_>>();
        [first.join().unwrap(), second]
    });
    let wrong: Vec<String> = halves.iter().flatten().map(|e| format!("{e:#}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn single_precision_is_the_hosts_for_many_pairs() {
    same_on_many("m0", &SINGLE);
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn double_precision_is_the_hosts_for_many_pairs() {
    same_on_many("m4f", &DOUBLE);
}

/// The mean for ordinary numbers, those around one, and the most over everything that is tried.
fn cost(routine: &Routine, board: Board, image: &Path) -> (f64, u32) {
    let cost = |kind: u32, count: u32| routine.cost(board, image, kind, count).unwrap();
    let most = cost(8, 60_000).most.max(cost(9, 40_000).most);
    (cost(3, 10_000).mean, most)
}

/// What a call costs as the routines' own page says it.
fn costs_as_on_page(name: &str, routines: &[Routine], of_compiler: bool) {
    let page = fs::read_to_string(workspace().join("boards/softfloat/README.md")).unwrap();
    let (board, image) = arithmetic(name);
    let compilers = of_compiler.then(|| bits_image(board, "arithmetic").unwrap());
    let mut missing = Vec::new();
    for routine in routines.iter().filter(|routine| routine.name != "sqrt") {
        let (ordinary, most) = cost(routine, board, &image);
        let row = format!("| `{}` | {ordinary:.0} | {most} |", routine.name);
        if let Some(compilers) = &compilers {
            let (before, most_before) = cost(routine, board, compilers);
            println!("{row} {before:.0} | {most_before} |");
            assert!(ordinary.round() <= before.round(), "{row}");
            assert!(most <= most_before, "{row}");
        }
        if !page.contains(&row) {
            missing.push(row);
        }
    }
    let missing = missing.join("\n");
    assert_eq!(missing, "", "not on the page:\n{missing}");
}

#[test]
fn a_call_costs_what_the_page_says() {
    costs_as_on_page("m0", &SINGLE[..6], false);
    costs_as_on_page("m4f", &DOUBLE[..6], false);
}

#[test]
#[ignore = "takes minutes: cargo xtask test --full"]
fn a_call_costs_what_the_page_says_and_less_than_the_compilers() {
    costs_as_on_page("m0", &SINGLE, true);
    costs_as_on_page("m4f", &DOUBLE, true);
}
