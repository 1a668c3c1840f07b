//! A page in a real browser without a window: what it complains about, and what a script sees on it.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, fs, process};
use stiffstep_emulator::install;

/// How a page is looked at.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Pixels of the window.
    pub width: u32,
    /// Pixels of the window.
    pub height: u32,
    /// Whether the reader prefers dark pages.
    pub dark: bool,
}

/// What was seen.
#[derive(Clone, Debug)]
pub struct Seen {
    /// What the browser wrote into its console.
    pub console: Vec<String>,
    /// The value of the script.
    pub found: Value,
}

/// The place where the script leaves its value.
const MARK: &str = "what-the-script-found";

/// Without a window, and without asking anybody anything.
const FLAGS: &str = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
     --disable-component-update --disable-sync --hide-scrollbars --enable-logging=stderr --log-level=0 --timeout=20000";

/// Opens a page and evaluates an expression of JavaScript on it, which must have a value that JSON can express.
pub fn look(page: &Path, view: View, expression: &str) -> Result<Seen> {
    let browser = install::installed_browser()
        .context("no browser is installed: `apt-get install chromium` or the like installs one")?;
    let text =
        fs::read_to_string(page).with_context(|| format!("{} cannot be read", page.display()))?;
    let Some((before, after)) = text.rsplit_once("</body>") else {
        bail!("{} has no end of its body", page.display());
    };
    let script = format!(
        "<script>addEventListener('load',()=>{{const found=JSON.stringify({expression});\
         const at=parent.document.createElement('pre');at.id='{MARK}';\
         at.textContent=btoa(encodeURIComponent(found));parent.document.body.append(at)}})</script>"
    );
    // In a frame, because windows are not as narrow as phones are.
    let inner = format!("{before}{script}</body>{after}");
    let inner = inner.replace('&', "&amp;").replace('"', "&quot;");
    let framed = format!(
        "<!DOCTYPE html><html style=\"color-scheme:light dark\"><meta charset=\"utf-8\"><body>\
         <iframe style=\"border:0;width:{}px;height:{}px\" srcdoc=\"{inner}\"></iframe></body></html>",
        view.width, view.height
    );
    // In a folder of its own, with the browser's profile: nothing of the reader's is touched.
    let name = format!("stiffstep-browser-{}-{}", process::id(), view.width);
    let folder = env::temp_dir().join(name);
    fs::create_dir_all(&folder)?;
    let copy = folder.join("page.html");
    fs::write(&copy, framed)?;
    let (profile, light) = (folder.join("profile"), u8::from(!view.dark));
    let output = Command::new(browser)
        .args(FLAGS.split_whitespace())
        .arg(format!("--blink-settings=preferredColorScheme={light}"))
        .arg(format!("--window-size={},{}", view.width, view.height))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", copy.display()))
        .stdin(Stdio::null())
        .output();
    let cleared = fs::remove_dir_all(&folder);
    let output = output.with_context(|| format!("{browser} could not be started"))?;
    cleared.context("the browser's folder cannot be removed")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{browser} failed:\n{said}");
    let console = said.lines().filter(|line| line.contains("CONSOLE"));
    let console: Vec<String> = console.map(str::to_owned).collect();
    let dom = String::from_utf8_lossy(&output.stdout);
    let found = dom
        .split_once(&format!("id=\"{MARK}\">"))
        .and_then(|(_, rest)| rest.split_once('<'))
        .with_context(|| {
            let console = console.join("\n");
            format!("the script left no value; the console:\n{console}")
        })?
        .0;
    let found = decoded(found).context("the script's value is damaged")?;
    Ok(Seen {
        console,
        found: serde_json::from_str(&found)?,
    })
}

/// What `btoa(encodeURIComponent(text))` was made of: letters that survive any page.
fn decoded(text: &str) -> Option<String> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut bytes) = (0_u32, 0, Vec::new());
    for letter in text.trim().trim_end_matches('=').bytes() {
        let value = LETTERS.iter().position(|&known| known == letter)?;
        (bits, held) = ((bits << 6) | value as u32, held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    let mut plain = Vec::new();
    let mut rest = bytes.iter().copied();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            plain.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            plain.push(byte);
        }
    }
    String::from_utf8(plain).ok()
}
