//! Messages between processes: JSON after its length, with files where needed.

use std::io::{self, IoSlice, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;

use nix::sys::socket::{ControlMessage, MsgFlags, sendmsg};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest message that is read.
const LARGEST: usize = 512 << 20;
/// The longest message that is read from a program.
const SHORT: usize = 1 << 16;

/// Sends a message.
pub(crate) fn send(stream: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    send_with_files(stream, message, &[])
}

/// Sends a message, and files along with it.
pub(crate) fn send_with_files(
    mut stream: &UnixStream,
    message: &impl Serialize,
    files: &[RawFd],
) -> io::Result<()> {
    let mut data = vec![0; 4];
    serde_json::to_writer(&mut data, message)?;
    let length = u32::try_from(data.len() - 4).map_err(|_| io::Error::other("message too long"))?;
    data[..4].copy_from_slice(&length.to_le_bytes());
    if files.is_empty() {
        return stream.write_all(&data);
    }
    // Files travel with the length, so that whoever reads it has them.
    let rights = [ControlMessage::ScmRights(files)];
    sendmsg::<()>(
        stream.as_raw_fd(),
        &[IoSlice::new(&data[..4])],
        &rights,
        MsgFlags::MSG_NOSIGNAL,
        None,
    )?;
    stream.write_all(&data[4..])
}

/// The next message; `None` at the end.
pub(crate) fn receive<T: DeserializeOwned>(stream: &UnixStream) -> io::Result<Option<T>> {
    receive_up_to(stream, LARGEST)
}

/// The next message of somebody who may be up to no good.
pub(crate) fn receive_short<T: DeserializeOwned>(stream: &UnixStream) -> io::Result<Option<T>> {
    receive_up_to(stream, SHORT)
}

fn receive_up_to<T: DeserializeOwned>(
    mut stream: &UnixStream,
    longest: usize,
) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match stream.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > longest {
        return Err(io::Error::other("message too long"));
    }
    let mut data = vec![0; length];
    stream.read_exact(&mut data)?;
    Ok(Some(serde_json::from_slice(&data)?))
}
