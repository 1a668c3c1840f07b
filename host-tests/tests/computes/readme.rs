//! The front page's links as a Git host follows them; rustdoc checks those of the documentation page.

use std::collections::BTreeSet;
use std::fs;
use stiffstep_host_tests::emulator::firmware::workspace;

/// What stands between two marks, every time.
fn between<'a>(text: &'a str, open: &'a str, close: char) -> impl Iterator<Item = &'a str> {
    let parts = text.split(open).skip(1);
    parts.filter_map(move |part| part.split(close).next())
}

/// Links have names, every name stands for something, nothing stands there in vain, and what is no address is a file or a folder.
#[test]
fn links_of_the_front_page_lead_somewhere() {
    let page = fs::read_to_string(workspace().join("README.md")).unwrap();
    let defined = page.lines().filter_map(|line| {
        let (name, place) = line.strip_prefix('[')?.split_once("]: ")?;
        Some((name, place))
    });
    let defined: Vec<_> = defined.collect();
    let used: BTreeSet<&str> = between(&page, "][", ']').collect();
    let names: BTreeSet<&str> = defined.iter().map(|(name, _)| *name).collect();
    assert!(used.len() > 5);
    assert_eq!(used, names);
    let direct = between(&page, "](", ')');
    for place in defined.iter().map(|(_, place)| *place).chain(direct) {
        let known = place.starts_with("https://") || workspace().join(place).exists();
        assert!(known, "{place}");
    }
}
