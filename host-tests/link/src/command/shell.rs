//! Several commands on one board: what one of them sets, the next one sees.

use super::run::{Connected, on, run};
use super::{Command, To, Workshop};
use anyhow::{Context, Result, bail};
use clap::Parser;
use std::io::{BufRead, IsTerminal, Write, stdin, stdout};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// A line of the shell.
#[derive(Parser)]
#[command(name = "", no_binary_name = true, disable_version_flag = true)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

/// Runs lines until `quit`, or until there are none. On a terminal an error is said, and the shell goes on; a file ends with it.
pub fn shell(board: &mut Connected, workshop: &dyn Workshop) -> Result<()> {
    let interactive = stdin().is_terminal();
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    loop {
        if interactive {
            print!("{}> ", board.hello.plant);
            stdout().flush()?;
        }
        let line = loop {
            match lines.recv_timeout(Duration::from_millis(100)) {
                Ok(line) => break line,
                // Meanwhile the board hears that we are there, or it would count us as lost.
                Err(RecvTimeoutError::Timeout) => {
                    _ = board.client.next(Duration::from_millis(1))?
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        };
        let words = words(&line);
        match words.first().map(String::as_str) {
            None => continue,
            Some(word) if word.starts_with('#') => continue,
            Some("quit" | "exit") => return Ok(()),
            Some(_) => {}
        }
        match (one(board, &words, workshop), interactive) {
            (Err(error), true) => eprintln!("error: {error:#}"),
            (Err(error), false) => return Err(error).context(line),
            (Ok(()), _) => {}
        }
    }
}

fn one(board: &mut Connected, words: &[String], workshop: &dyn Workshop) -> Result<()> {
    match Line::try_parse_from(words).map(|line| line.command) {
        Ok(Command::Shell) => bail!("this is one"),
        Ok(command @ (Command::Ports | Command::Plot { .. })) => {
            let to = To {
                port: None,
                baud: 0,
                board: None,
                plant: None,
            };
            run(&to, command, workshop)
        }
        Ok(command) => on(board, command, workshop),
        // A question for help is answered, and is no error.
        Err(said) if !said.use_stderr() => {
            println!("{said}");
            Ok(())
        }
        Err(said) => bail!(
            "{}",
            said.to_string().trim_start_matches("error: ").trim_end()
        ),
    }
}

/// The words of a line; what stands between quotation marks is one.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    for c in line.chars() {
        match quote {
            Some(end) if c == end => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn a_name_with_a_blank_is_one_word() {
        let line = r#"set "shaft stiffness=100"  voltage=12 '' x"y z""#;
        assert_eq!(
            words(line),
            ["set", "shaft stiffness=100", "voltage=12", "", "xy z"]
        );
    }
}
