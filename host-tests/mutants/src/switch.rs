//! Mutants that are all in one program, each behind a switch that is asked for at run time.
//!
//! `a + b` becomes `(if crate::mutant::on(7) { (a) - (b) } else { a + b })`, a function begins with `if crate::mutant::on(8) { return 0.0; }`.
//! So the tests are built once for all mutants, and not once for each. A constant cannot ask: a mutant that is part of one has no
//! switch, nor has a field that is left out, nor one whose types the compiler does not take beside the original.
//! Operands stay what they were: cargo-mutants itself changes the text, where another operator may bind other operands.

use crate::draw::{Genre, Mutant, Place};
use anyhow::{Context, Result};
use proc_macro2::Span;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Arm, Block, ExprBinary, ExprRepeat, ExprUnary, Signature, TypeArray};

/// A mutant behind its switch.
#[derive(Clone, Debug)]
pub struct Switch {
    /// The mutant's number, from one.
    pub id: usize,
    /// What is put behind the switch; empty where something is added.
    range: Range<usize>,
    change: Change,
}

/// What is there instead when the switch is on. Pieces of the original may have switches, too.
#[derive(Clone, Debug)]
enum Change {
    /// Another operator between the operands.
    Operator(Range<usize>, String, Range<usize>),
    /// A piece of the original.
    Piece(Range<usize>),
    /// These words.
    Words(String),
    /// The function ends here, and returns this.
    Return(String),
    /// The pattern is not taken.
    NoArm,
}

/// The switches of those that can have one.
pub fn switches(text: &str, mutants: &[(usize, &Mutant)]) -> Result<Vec<Switch>> {
    let file = syn::parse_file(text).context("the file does not parse")?;
    let mut finder = Finder {
        wanted: mutants
            .iter()
            .map(|(id, mutant)| Wanted::new(text, *id, mutant))
            .collect(),
        constant: false,
        found: Vec::new(),
    };
    finder.visit_file(&file);
    // The function nearest to a mutant is visited last.
    let mut found: Vec<Switch> = Vec::new();
    for switch in finder.found {
        found.retain(|other| other.id != switch.id);
        found.push(switch);
    }
    Ok(found)
}

/// The text with the mutant itself, and no switch.
pub fn mutated(text: &str, mutant: &Mutant) -> String {
    let range = bytes(text, mutant.span.start)..bytes(text, mutant.span.end);
    let (before, after) = (&text[..range.start], &text[range.end..]);
    // A guard is listed with its condition only, a deleted operator or field with all that goes.
    let braces = mutant.genre == Genre::FnValue && text[range].starts_with('{');
    let [open, close] = if braces { ["{ ", " }"] } else { ["", ""] };
    format!("{before}{open}{}{close}{after}", mutant.replacement)
}

/// The text with its switches, and the range of each in it: errors of the compiler are somewhere there.
pub fn switched(text: &str, switches: &[Switch]) -> (String, Vec<(usize, Range<usize>)>) {
    let mut written = Written {
        text,
        switches,
        out: String::new(),
        places: Vec::new(),
    };
    written.piece(&(0..text.len()), false);
    (written.out, written.places)
}

/// The byte of a character that is counted by line and column.
fn bytes(text: &str, place: Place) -> usize {
    let line: usize = text
        .split_inclusive('\n')
        .take(place.line - 1)
        .map(str::len)
        .sum();
    let column = text[line..].char_indices().nth(place.column - 1);
    column.map_or(text.len(), |(column, _)| line + column)
}

/// What is looked for.
struct Wanted {
    id: usize,
    genre: Genre,
    replacement: String,
    range: Range<usize>,
}

impl Wanted {
    fn new(text: &str, id: usize, mutant: &Mutant) -> Self {
        Wanted {
            id,
            genre: mutant.genre,
            replacement: mutant.replacement.clone(),
            range: bytes(text, mutant.span.start)..bytes(text, mutant.span.end),
        }
    }
}

/// Finds the expressions that mutants are in.
struct Finder {
    wanted: Vec<Wanted>,
    /// Here everything is computed by the compiler.
    constant: bool,
    found: Vec<Switch>,
}

impl Finder {
    /// Puts those of a kind, whose own range is as asked, behind a switch.
    fn find(
        &mut self,
        genre: Genre,
        is: impl Fn(&Range<usize>) -> bool,
        range: &Range<usize>,
        change: impl Fn(&str) -> Change,
    ) {
        if self.constant {
            return;
        }
        let wanted = self
            .wanted
            .iter()
            .filter(|w| w.genre == genre && is(&w.range));
        self.found.extend(wanted.map(|w| Switch {
            id: w.id,
            range: range.clone(),
            change: change(&w.replacement),
        }));
    }

    /// A function: what is in it is computed at run time, unless it is for the compiler, too.
    fn function(&mut self, signature: &Signature, block: &Block, visit: impl FnOnce(&mut Self)) {
        let constant = std::mem::replace(&mut self.constant, signature.constness.is_some());
        let body = block.span().byte_range();
        let begin = body.start + 1..body.start + 1;
        self.find(
            Genre::FnValue,
            |own| body.start <= own.start && own.end <= body.end,
            &begin,
            |by| Change::Return(by.to_owned()),
        );
        visit(self);
        self.constant = constant;
    }

    /// Something that only the compiler computes.
    fn constant(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.constant, true);
        visit(self);
        self.constant = before;
    }
}

fn range(of: &impl Spanned) -> Range<usize> {
    let span: Span = of.span();
    span.byte_range()
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.sig, &item.block, |this| {
            visit::visit_item_fn(this, item)
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.sig, &item.block, |this| {
            visit::visit_impl_item_fn(this, item)
        });
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.sig, block, |this| {
                visit::visit_trait_item_fn(this, item)
            });
        }
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.constant(|this| visit::visit_item_const(this, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.constant(|this| visit::visit_item_static(this, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.constant(|this| visit::visit_impl_item_const(this, item));
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.constant(|this| visit::visit_trait_item_const(this, item));
    }

    fn visit_expr_const(&mut self, item: &'ast syn::ExprConst) {
        self.constant(|this| visit::visit_expr_const(this, item));
    }

    fn visit_type_array(&mut self, item: &'ast TypeArray) {
        self.constant(|this| visit::visit_type_array(this, item));
    }

    fn visit_expr_repeat(&mut self, item: &'ast ExprRepeat) {
        self.visit_expr(&item.expr);
        self.constant(|this| this.visit_expr(&item.len));
    }

    fn visit_expr_binary(&mut self, item: &'ast ExprBinary) {
        let operator = range(&item.op);
        self.find(
            Genre::BinaryOperator,
            |own| *own == operator,
            &range(item),
            |by| Change::Operator(range(&item.left), by.to_owned(), range(&item.right)),
        );
        visit::visit_expr_binary(self, item);
    }

    fn visit_expr_unary(&mut self, item: &'ast ExprUnary) {
        let operator = range(&item.op);
        self.find(
            Genre::UnaryOperator,
            |own| own.start == operator.start,
            &range(item),
            |_| Change::Piece(range(&item.expr)),
        );
        visit::visit_expr_unary(self, item);
    }

    fn visit_arm(&mut self, arm: &'ast Arm) {
        let guard = arm.guard.as_ref().map(|(_, guard)| range(guard));
        let behind = range(&arm.pat).end;
        let none = guard.clone().unwrap_or(behind..behind);
        let whole = range(arm);
        self.find(
            Genre::MatchArm,
            |own| own.start == whole.start,
            &none,
            |_| match guard {
                Some(_) => Change::Words("false".to_owned()),
                None => Change::NoArm,
            },
        );
        if let Some(guard) = &guard {
            self.find(
                Genre::MatchArmGuard,
                |own| own.start == guard.start,
                guard,
                |by| Change::Words(by.to_owned()),
            );
        }
        visit::visit_arm(self, arm);
    }
}

/// A text that is written with switches in it.
struct Written<'a> {
    text: &'a str,
    switches: &'a [Switch],
    out: String,
    places: Vec<(usize, Range<usize>)>,
}

impl Written<'_> {
    /// A piece of the original with the switches that are in it, but for those of just this range if they have been asked.
    fn piece(&mut self, range: &Range<usize>, asked: bool) {
        let inside = |own: &Range<usize>| match own.is_empty() {
            true => range.start < own.start && own.start < range.end,
            false => range.start <= own.start && own.end <= range.end && !(asked && own == range),
        };
        let mut ranges: Vec<Range<usize>> = self.switches.iter().map(|s| s.range.clone()).collect();
        ranges.retain(inside);
        ranges.sort_by_key(|range| (range.start, !range.is_empty(), usize::MAX - range.end));
        ranges.dedup();
        let mut at = range.start;
        for next in ranges {
            // Otherwise it is part of the one before.
            if next.start >= at {
                self.out += &self.text[at..next.start];
                self.switch(&next);
                at = next.end;
            }
        }
        self.out += &self.text[at..range.end];
    }

    /// All switches of a range: what is there with each of them on, and the original.
    fn switch(&mut self, range: &Range<usize>) {
        let (switches, adds) = (self.switches, range.is_empty());
        let begin = self.out.len();
        self.out += if adds { "" } else { "(" };
        for switch in switches.iter().filter(|switch| switch.range == *range) {
            let (id, begin) = (switch.id, self.out.len());
            match &switch.change {
                Change::NoArm => self.out += &format!(" if !crate::mutant::on({id})"),
                Change::Return(by) => {
                    self.out += &format!(" if crate::mutant::on({id}) {{ return {by}; }}");
                }
                change => {
                    self.out += &format!("if crate::mutant::on({id}) {{ ");
                    self.instead(change);
                    self.out += " } else ";
                }
            }
            self.places.push((id, begin..self.out.len()));
        }
        if !adds {
            self.out += "{ ";
            self.piece(range, true);
            self.out += " })";
            let whole = begin..self.out.len();
            let own = switches.iter().filter(|switch| switch.range == *range);
            self.places
                .extend(own.map(|switch| (switch.id, whole.clone())));
        }
    }

    fn instead(&mut self, change: &Change) {
        match change {
            Change::Operator(left, by, right) => {
                self.out += "(";
                self.piece(left, false);
                self.out += &format!(") {by} (");
                self.piece(right, false);
                self.out += ")";
            }
            Change::Piece(piece) => self.piece(piece, false),
            Change::Words(words) | Change::Return(words) => self.out += words,
            Change::NoArm => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{mutated, switched, switches};
    use crate::draw::{Genre, Mutant, Place, Span};

    /// A mutant of the one line that a text has.
    fn mutant(text: &str, what: &str, replacement: &str, genre: Genre) -> Mutant {
        let start = text.find(what).unwrap_or(usize::MAX - 1) + 1;
        let place = |column| Place { line: 1, column };
        Mutant {
            name: String::new(),
            file: String::new(),
            span: Span {
                start: place(start),
                end: place(start + what.len()),
            },
            replacement: replacement.to_owned(),
            genre,
        }
    }

    fn with_switches(text: &str, mutants: &[Mutant]) -> String {
        let numbered: Vec<(usize, &Mutant)> = (1..).zip(mutants).collect();
        let found = switches(text, &numbered).unwrap_or_default();
        switched(text, &found).0
    }

    /// Several of one operator, and one inside another's operand.
    #[test]
    fn operators_have_switches() {
        let text = "fn f(a: f32, b: f32) -> f32 { a * -b + 1.0 }";
        let mutants = [
            mutant(text, "+", "-", Genre::BinaryOperator),
            mutant(text, "+", "*", Genre::BinaryOperator),
            mutant(text, "-b", "", Genre::UnaryOperator),
        ];
        let inner = "a * (if crate::mutant::on(3) { b } else { -b })";
        let expected = format!(
            "fn f(a: f32, b: f32) -> f32 {{ (if crate::mutant::on(1) {{ ({inner}) - (1.0) }} else \
             if crate::mutant::on(2) {{ ({inner}) * (1.0) }} else {{ {inner} + 1.0 }}) }}"
        );
        assert_eq!(with_switches(text, &mutants), expected);
    }

    /// A function that returns at once, and a pattern and a guard that are not taken.
    #[test]
    fn functions_and_patterns_have_switches() {
        let text = "fn f(a: u8) -> u8 { match a { 1 => 2, x if x > 3 => 4, _ => 5 } }";
        let mutants = [
            mutant(
                text,
                "match a { 1 => 2, x if x > 3 => 4, _ => 5 }",
                "0",
                Genre::FnValue,
            ),
            mutant(text, "1 => 2,", "", Genre::MatchArm),
            mutant(text, "x > 3", "true", Genre::MatchArmGuard),
        ];
        let expected = "fn f(a: u8) -> u8 { if crate::mutant::on(1) { return 0; } match a { \
            1 if !crate::mutant::on(2) => 2, x if (if crate::mutant::on(3) { true } else { x > 3 }) => 4, _ => 5 } }";
        assert_eq!(with_switches(text, &mutants), expected);
    }

    /// What the compiler computes cannot ask a switch: that mutant is built by itself.
    #[test]
    fn constants_have_none() {
        let text = "const A: usize = 1 + 2; const fn f() -> usize { 3 * 4 }";
        let mutants = [
            mutant(text, "+", "-", Genre::BinaryOperator),
            mutant(text, "*", "/", Genre::BinaryOperator),
            mutant(text, "3 * 4", "0", Genre::FnValue),
        ];
        assert_eq!(with_switches(text, &mutants), text);
        let alone = mutated(text, &mutants[2]);
        assert_eq!(alone, "const A: usize = 1 + 2; const fn f() -> usize { 0 }");
    }
}
