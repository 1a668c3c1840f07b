//! The layers of the library: which module uses which, drawn from every path that the sources spell out. None uses one that uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use stiffstep_host_tests::emulator::firmware::workspace;

/// The modules that each module names.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// All Rust files under a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found
}

/// What follows `crate::` in a text without its comments, up to the end of the name. Its tests, which come last, may use every layer.
fn named(text: &str) -> impl Iterator<Item = String> {
    let tests = |line: &&str| *line != "#[cfg(test)]";
    let code = |line: &&str| !line.trim_start().starts_with("//");
    let code: Vec<&str> = text.lines().take_while(tests).filter(code).collect();
    let code = code.join("\n");
    let word = |c: &char| c.is_alphanumeric() || *c == '_';
    let name = |rest: &str| rest.chars().take_while(word).collect();
    let names: Vec<String> = code.split("crate::").skip(1).map(name).collect();
    names.into_iter()
}

/// The graph. The front page and the guide show what is below them, and are no layers.
fn graph() -> Graph {
    let source = workspace().join("src");
    let mut graph = Graph::new();
    for path in files(&source) {
        let inside = path.strip_prefix(&source).unwrap();
        let first = inside.iter().next().unwrap().to_string_lossy();
        let module = first.trim_end_matches(".rs").to_owned();
        if ["lib", "guide"].contains(&module.as_str()) {
            continue;
        }
        let used = graph.entry(module.clone()).or_default();
        for name in named(&fs::read_to_string(&path).unwrap()) {
            // What the front page hands on.
            let name = match name.as_str() {
                "Error" => "error".to_owned(),
                "Simulation" => "drive".to_owned(),
                _ => name,
            };
            if name != module {
                used.insert(name);
            }
        }
    }
    graph
}

/// The modules from the lowest to the highest; those that are left use each other in a circle.
fn layers(graph: &Graph) -> (Vec<String>, Vec<String>) {
    let mut order: Vec<String> = Vec::new();
    loop {
        let free = |name: &&String| {
            !order.contains(name) && graph[*name].iter().all(|below| order.contains(below))
        };
        let Some(next) = graph.keys().find(free).cloned() else {
            break;
        };
        order.push(next);
    }
    let left = graph.keys().filter(|name| !order.contains(name));
    let left = left.cloned().collect();
    (order, left)
}

#[test]
fn no_module_uses_one_that_uses_it() {
    let graph = graph();
    for (module, used) in &graph {
        for name in used {
            assert!(graph.contains_key(name), "{module} names {name}");
        }
    }
    let (_, left) = layers(&graph);
    let circle: Vec<_> = left.iter().map(|name| (name, &graph[name])).collect();
    assert!(left.is_empty(), "in a circle: {circle:?}");
}

/// A circle would be noticed.
#[test]
fn circles_are_found() {
    let mut graph = graph();
    graph.get_mut("number").unwrap().insert("step".to_owned());
    let (order, left) = layers(&graph);
    assert!(left.contains(&"number".to_owned()) && left.contains(&"step".to_owned()));
    assert!(order.contains(&"memory".to_owned()));
}

/// The guide's picture is the graph.
#[test]
fn the_guide_shows_the_layers() {
    let graph = graph();
    let (order, _) = layers(&graph);
    let line = |name: &String| {
        let used: Vec<&str> = graph[name].iter().map(String::as_str).collect();
        let line = format!("{name:<9} {}", used.join(" "));
        line.trim_end().to_owned()
    };
    let drawn: Vec<String> = order.iter().rev().map(line).collect();
    let drawn = drawn.join("\n");
    let page = fs::read_to_string(workspace().join("src/guide/inside.md")).unwrap();
    assert!(page.contains(&drawn), "the guide should show\n{drawn}");
}

/// Files that the guide names are there.
#[test]
fn files_that_the_guide_names_exist() {
    for entry in fs::read_dir(workspace().join("src/guide")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|end| end != "md") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for name in text.split('`').filter(|word| word.starts_with("src/")) {
            let there = workspace().join(name).exists();
            assert!(there, "{} names {name}", path.display());
        }
    }
}
