//! Boards that need no hardware: QEMU for the mps2 and the STM32F405, rp2040js for the Pico.

use super::client::Client;
use super::port::Port;
use super::socket::Address;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use stiffstep_emulator::boot::QEMU;
use stiffstep_emulator::firmware::{cargo, images, workspace};

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
        let (features, folder) = match self {
            Kit::Qemu => ("hil,benchmark", "hil-qemu"),
            Kit::Stm32f4 => ("qemu,plants", "hil-stm32f4-qemu"),
            Kit::Rp2040 => (EMULATED, "hil-rp2040-emulated"),
        };
        let arguments = ["--no-default-features", "--features", features];
        self.build_with(plants, &arguments, folder)
    }

    /// Builds images of these plants with these arguments, and keeps them in a folder of that name.
    pub fn build_with(
        self,
        plants: &[&str],
        arguments: &[&str],
        folder: &str,
    ) -> Result<Vec<PathBuf>> {
        #[cfg(feature = "kit")]
        crate::reference::known(plants)?;
        let binary = if self == Kit::Qemu { "hil" } else { "plant" };
        let mut images = Vec::new();
        for plant in plants {
            let arguments = [arguments, &["--features", plant]].concat();
            let folder = format!("{folder}-{plant}");
            images.extend(self.build_binaries(&[binary], &arguments, &folder)?);
        }
        Ok(images)
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

    fn command(
        self,
        image: &Path,
        shift: u8,
        (socket, pins): (&Address, &Address),
    ) -> Result<Command> {
        let chardev = format!("socket,id=link,{},server=on,wait=off", socket.for_qemu());
        if self == Kit::Rp2040 {
            let mut node = Command::new("node");
            node.arg(bridge("bridge.mjs")).arg(socket.for_node());
            node.arg(image).arg(pins.for_node());
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
        // Virtual time follows instructions: a busy machine makes the board slow, but never late.
        qemu.args(["-icount", &format!("shift={shift}")]);
        qemu.args(["-chardev", &chardev, "-serial", "chardev:link"]);
        qemu.args(["-semihosting-config", "enable=on,target=native"]);
        qemu.arg("-kernel").arg(image);
        Ok(qemu)
    }
}

/// An instruction of QEMU's boards takes 2^5 ns, which is the mps2 at its 25 MHz and a slow STM32.
const USUAL: u8 = 5;

/// The features of an image for rp2040js.
const EMULATED: &str = "emulated,plants,softfloat";

/// A front end for rp2040js.
fn bridge(name: &str) -> PathBuf {
    workspace().join("boards/rp2040/emulator").join(name)
}

/// Builds the two images of a drive for the emulator: the motor with its encoder, and the speed controller.
pub fn build_pair() -> Result<[PathBuf; 2]> {
    let features = ["--no-default-features", "--features", EMULATED];
    let motor = Kit::Rp2040.build_binaries(&["drive"], &features, "hil-rp2040-drive")?;
    let mut cargo = cargo();
    cargo.args(["build", "--release", "--package", "stiffstep-controller"]);
    let target = Kit::Rp2040.target();
    let controller = images(&mut cargo, target, &["controller"], "hil-controller")?;
    match [motor, controller].map(|images| images.into_iter().next()) {
        [Some(motor), Some(controller)] => Ok([motor, controller]),
        _ => bail!("an image is missing"),
    }
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

/// A running emulator, which ends with this, and with this program however that ends.
pub struct Emulated {
    child: Child,
    /// Closed when this program is gone.
    alive: Option<ChildStdin>,
    socket: Address,
    #[cfg_attr(not(feature = "kit"), allow(dead_code))]
    pins: Address,
}

/// Runs a program in the background until it ends or standard input does: nobody else ends an emulator whose host was killed.
#[cfg(unix)]
const GUARD: &str = r#"exec 3<&0
"$@" 3<&- </dev/null & child=$!
{ cat <&3 >/dev/null; kill $child 2>/dev/null; } & guard=$!
exec 3<&-
wait $child; status=$?
kill $guard 2>/dev/null
exit $status"#;

/// A program that ends when this one does, and that Ctrl-C does not reach before.
#[cfg(unix)]
fn guarded(command: &Command) -> Command {
    use std::os::unix::process::CommandExt;
    let mut guarded = Command::new("sh");
    guarded.args(["-c", GUARD, "sh"]).arg(command.get_program());
    guarded.args(command.get_args()).process_group(0);
    guarded
}

/// A program.
#[cfg(not(unix))]
fn guarded(command: &Command) -> Command {
    let mut guarded = Command::new(command.get_program());
    guarded.args(command.get_args());
    guarded
}

/// What an emulated board's pins show.
#[cfg(feature = "kit")]
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Shown {
    /// The outputs, as parts of their swing; none where a pin is not driven.
    pub outputs: Vec<Option<f64>>,
    /// How often the watchdog has reset the board.
    pub resets: u32,
}

impl Emulated {
    /// Boots an image, and connects to its UART.
    pub fn start(kit: Kit, image: &Path) -> Result<(Self, Client)> {
        Self::start_at(kit, image, USUAL)
    }

    /// The same at another tempo: an instruction takes `2^shift` ns. For periods that are shorter than what a step and its samples take at 31 million
    /// instructions a second. The Pico has its own.
    pub fn start_at(kit: Kit, image: &Path, shift: u8) -> Result<(Self, Client)> {
        let socket = Address::fresh().context("there is no socket for the emulator")?;
        let pins = Address::fresh().context("there is no socket for the pins")?;
        let command = kit.command(image, shift, (&socket, &pins))?;
        Self::spawn(command, socket, pins)
            .with_context(|| format!("{} could not be started", kit.emulator()))
    }

    /// Boots two Picos that are wired to each other, and connects to the plant's UART. What was seen at the pins is written to a file when the
    /// host leaves.
    pub fn start_pair(images: &[PathBuf; 2], report: &Path) -> Result<(Self, Client)> {
        let socket = Address::fresh().context("there is no socket for the emulator")?;
        let pins = Address::fresh().context("there is no socket for the pins")?;
        let mut node = Command::new("node");
        node.arg(bridge("pair.mjs")).arg(socket.for_node());
        node.args(images).arg(report);
        Self::spawn(node, socket, pins).context("rp2040js could not be started")
    }

    fn spawn(command: Command, socket: Address, pins: Address) -> Result<(Self, Client)> {
        let mut child = guarded(&command)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::inherit())
            .spawn()?;
        let mut emulated = Emulated {
            alive: child.stdin.take(),
            child,
            socket,
            pins,
        };
        let port = emulated.connect()?;
        Ok((emulated, Client::new(port)))
    }

    /// Waits until an emulator that ends by itself has ended.
    pub fn ended(mut self) -> Result<()> {
        let status = self.child.wait()?;
        if !status.success() {
            bail!("the emulator failed ({status}); what it said is above");
        }
        Ok(())
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

    #[cfg(feature = "kit")]
    /// What the pins of an emulated Pico show, after this line has told it what is to be changed at them; it may be empty.
    pub fn pins(&self, line: &str) -> Result<Shown> {
        use std::io::{BufRead, BufReader, Write};
        let mut socket = self
            .pins
            .connect(Duration::from_secs(10))
            .context("this board has no pins to look at")?;
        socket.write_all(format!("{line}\n").as_bytes())?;
        let mut answer = String::new();
        BufReader::new(socket).read_line(&mut answer)?;
        Ok(serde_json::from_str(&answer)?)
    }

    /// The wire itself, after the last host went away: for whoever puts something in between.
    pub fn wire(&mut self) -> Result<Port> {
        self.connect()
    }

    /// Connects again after the last host went away.
    pub fn reconnect(&mut self) -> Result<Client> {
        Ok(Client::new(self.connect()?))
    }
}

impl Drop for Emulated {
    fn drop(&mut self) {
        // Whether it ended by itself does not matter any more.
        self.alive = None;
        #[cfg(not(unix))]
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::expect_used)]
mod tests {
    use super::{Stdio, guarded};
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    fn started(program: &str, arguments: &[&str]) -> Child {
        let mut command = Command::new(program);
        command.args(arguments);
        let child = guarded(&command).stdin(Stdio::piped()).spawn();
        child.expect("a shell")
    }

    /// An emulator whose host is gone, by whatever means, ends at once: the host's end of a pipe is closed then.
    #[test]
    fn an_emulator_ends_with_its_host() {
        let began = Instant::now();
        let mut child = started("sleep", &["60"]);
        drop(child.stdin.take());
        child.wait().expect("a process that ends");
        let took = began.elapsed();
        assert!(took < Duration::from_secs(5), "{took:?}");
    }

    /// One that ends by itself has its own exit status.
    #[test]
    fn an_emulator_keeps_its_status() {
        let mut child = started("sh", &["-c", "exit 7"]);
        // `wait` would close the host's end of the pipe before it waits.
        let alive = child.stdin.take();
        let status = child.wait().expect("a process that ends");
        drop(alive);
        assert_eq!(status.code(), Some(7));
    }
}
