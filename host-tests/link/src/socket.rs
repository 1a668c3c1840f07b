//! The socket between an emulator's UART and this program: a file's name on Unix, a port of this machine elsewhere.

use std::io;
use std::time::Duration;

#[cfg(unix)]
type Plain = std::os::unix::net::UnixStream;
#[cfg(not(unix))]
type Plain = std::net::TcpStream;

/// A connected socket.
pub type Stream = Plain;

/// Where an emulator listens.
#[derive(Debug)]
pub struct Address(#[cfg(unix)] std::path::PathBuf, #[cfg(not(unix))] u16);

#[cfg(unix)]
impl Address {
    /// One that nobody uses.
    pub fn fresh() -> io::Result<Self> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("stiffstep-{}-{number}.sock", std::process::id());
        Ok(Address(std::env::temp_dir().join(name)))
    }

    /// As QEMU wants to be told.
    pub fn for_qemu(&self) -> String {
        format!("path={}", self.0.display())
    }

    /// As Node.js wants to be told.
    pub fn for_node(&self) -> String {
        self.0.display().to_string()
    }

    fn plain(&self) -> io::Result<Plain> {
        Plain::connect(&self.0)
    }
}

#[cfg(not(unix))]
impl Address {
    /// One that nobody uses.
    pub fn fresh() -> io::Result<Self> {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0))?;
        Ok(Address(listener.local_addr()?.port()))
    }

    /// As QEMU wants to be told.
    pub fn for_qemu(&self) -> String {
        format!("host=127.0.0.1,port={}", self.0)
    }

    /// As Node.js wants to be told.
    pub fn for_node(&self) -> String {
        self.0.to_string()
    }

    fn plain(&self) -> io::Result<Plain> {
        Plain::connect(("127.0.0.1", self.0))
    }
}

impl Address {
    /// Connects; reads wait for so long at most.
    pub fn connect(&self, wait: Duration) -> io::Result<Stream> {
        let stream = self.plain()?;
        stream.set_read_timeout(Some(wait))?;
        Ok(stream)
    }
}

impl Drop for Address {
    fn drop(&mut self) {
        // It may never have been there.
        #[cfg(unix)]
        let _ = std::fs::remove_file(&self.0);
    }
}
