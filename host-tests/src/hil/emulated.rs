//! Boards that need no hardware: QEMU for the mps2 and the STM32F405, rp2040js for the Pico.

use super::client::Client;
use super::port::Port;
use crate::emulator::boot::QEMU;
use crate::emulator::firmware::{cargo, images, workspace};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};
use stiffstep_plants::rigs::NAMES;

/// A board whose firmware can be built, and that can be emulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kit {
    /// Arm's mps2-an386, a Cortex-M4F.
    Qemu,
    /// STM32F405 as on the Netduino Plus 2, a Cortex-M4F.
    Stm32f4,
    /// Raspberry Pi Pico, a Cortex-M0+.
    Rp2040,
}

/// All of them.
pub const KITS: [Kit; 3] = [Kit::Qemu, Kit::Stm32f4, Kit::Rp2040];

impl Kit {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kit::Qemu => "qemu",
            Kit::Stm32f4 => "stm32f4",
            Kit::Rp2040 => "rp2040",
        }
    }

    /// By that name.
    pub fn by_name(name: &str) -> Result<Self> {
        let known = KITS.map(Kit::name).join(", ");
        KITS.into_iter()
            .find(|kit| kit.name() == name)
            .with_context(|| {
                format!("there is no board `{name}` to emulate; the known ones are {known}")
            })
    }

    /// What emulates it.
    pub fn emulator(self) -> &'static str {
        match self {
            Kit::Qemu => "QEMU mps2-an386",
            Kit::Stm32f4 => "QEMU netduinoplus2",
            Kit::Rp2040 => "rp2040js",
        }
    }

    /// Rust's name of its target.
    pub fn target(self) -> &'static str {
        match self {
            Kit::Qemu | Kit::Stm32f4 => "thumbv7em-none-eabihf",
            Kit::Rp2040 => "thumbv6m-none-eabi",
        }
    }

    /// Builds images of these plants for the emulator.
    pub fn build(self, plants: &[&str]) -> Result<Vec<PathBuf>> {
        match self {
            Kit::Qemu => self.build_with(plants, &["--features", "hil"], "hil-qemu"),
            Kit::Stm32f4 => {
                let features = ["--no-default-features", "--features", "qemu,plants"];
                self.build_with(plants, &features, "hil-stm32f4-qemu")
            }
            Kit::Rp2040 => {
                let features = ["--no-default-features", "--features", "emulated,plants"];
                self.build_with(plants, &features, "hil-rp2040-emulated")
            }
        }
    }

    /// Builds images of these plants with these arguments, and keeps them in a folder of that name.
    pub fn build_with(
        self,
        plants: &[&str],
        arguments: &[&str],
        folder: &str,
    ) -> Result<Vec<PathBuf>> {
        if let Some(unknown) = plants.iter().find(|plant| !NAMES.contains(plant)) {
            bail!(
                "there is no plant `{unknown}`; the known ones are {}",
                NAMES.join(", ")
            );
        }
        let prefix = if self == Kit::Qemu { "hil-" } else { "" };
        let binaries: Vec<String> = plants
            .iter()
            .map(|name| format!("{prefix}{name}"))
            .collect();
        let binaries: Vec<&str> = binaries.iter().map(|name| &**name).collect();
        self.build_binaries(&binaries, arguments, folder)
    }

    /// The same for any binaries of the board's package.
    pub fn build_binaries(
        self,
        binaries: &[&str],
        arguments: &[&str],
        folder: &str,
    ) -> Result<Vec<PathBuf>> {
        let package = match self {
            Kit::Qemu => "stiffstep-qemu",
            Kit::Stm32f4 => "stiffstep-stm32f4",
            Kit::Rp2040 => "stiffstep-rp2040",
        };
        let mut cargo = cargo();
        cargo.args(["build", "--package", package]);
        if !arguments.contains(&"--profile") {
            cargo.arg("--release");
        }
        cargo.args(arguments);
        for binary in binaries {
            cargo.args(["--bin", binary]);
        }
        images(&mut cargo, self.target(), binaries, folder)
    }

    fn command(self, image: &Path, socket: &Path) -> Result<Command> {
        let chardev = format!(
            "socket,id=link,path={},server=on,wait=off",
            socket.display()
        );
        if self == Kit::Rp2040 {
            let mut node = Command::new("node");
            node.arg(bridge()).arg(socket).arg(image);
            return Ok(node);
        }
        let machine = match self {
            Kit::Stm32f4 => {
                usable_qemu()?;
                "netduinoplus2"
            }
            _ => "mps2-an386",
        };
        let mut qemu = Command::new(QEMU);
        qemu.args(["-M", machine, "-nographic", "-monitor", "none"]);
        // Virtual time follows instructions, 32 ns each, which is the mps2 at its 25 MHz and a slow STM32: a busy machine
        // makes the board slow, but never late.
        qemu.args(["-icount", "shift=5"]);
        qemu.args(["-chardev", &chardev, "-serial", "chardev:link"]);
        qemu.args(["-semihosting-config", "enable=on,target=native"]);
        qemu.arg("-kernel").arg(image);
        Ok(qemu)
    }
}

/// The front end for rp2040js.
fn bridge() -> PathBuf {
    workspace().join("boards/rp2040/emulator/bridge.mjs")
}

/// Whether QEMU is one that runs the STM32's firmware.
pub fn usable_qemu() -> Result<()> {
    let output = Command::new(QEMU)
        .arg("--version")
        .output()
        .with_context(|| format!("{QEMU} could not be started"))?;
    crashes(&String::from_utf8_lossy(&output.stdout))
}

/// An error if what QEMU says of its version names one that crashes.
pub fn crashes(version: &str) -> Result<()> {
    let number = version
        .split_whitespace()
        .find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    let Some(number) = number else {
        bail!("QEMU does not say which version it is: {version}");
    };
    let major: u32 = number.split('.').next().unwrap_or("").parse().unwrap_or(0);
    if major >= 10 {
        bail!(
            "QEMU {number} crashes when the STM32's peripherals are reset (seen with 10.0.2); use QEMU 7.2, as in Debian 12, or another board"
        );
    }
    Ok(())
}

/// A running emulator, which ends with this.
pub struct Emulated {
    child: Child,
    socket: PathBuf,
}

impl Emulated {
    /// Boots an image, and connects to its UART.
    pub fn start(kit: Kit, image: &Path) -> Result<(Self, Client)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let socket = env::temp_dir().join(format!("stiffstep-{}-{number}.sock", process::id()));
        let child = kit
            .command(image, &socket)?
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("{} could not be started", kit.emulator()))?;
        let mut emulated = Emulated { child, socket };
        let port = emulated.connect()?;
        Ok((emulated, Client::new(port)))
    }

    /// Connects to the emulator's socket, once it is there.
    fn connect(&mut self) -> Result<Port> {
        let began = Instant::now();
        loop {
            match Port::socket(&self.socket) {
                Ok(port) => return Ok(port),
                Err(error) if began.elapsed() > Duration::from_secs(30) => return Err(error),
                Err(_) => {}
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("the emulator ended at once ({status}); what it said is above");
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Connects again after the last host went away.
    pub fn reconnect(&mut self) -> Result<Client> {
        Ok(Client::new(self.connect()?))
    }
}

impl Drop for Emulated {
    fn drop(&mut self) {
        // Whether it ended by itself does not matter any more.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.socket);
    }
}
