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

/// Whether bytes of somebody who may be up to no good are a message, or too many for one.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    match bytes.first_chunk() {
        Some(length) => {
            let length = u32::from_le_bytes(*length) as usize;
            length > SHORT || bytes.len() >= length + 4
        }
        None => false,
    }
}

/// The message that such bytes are, if they are one.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let length = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
    serde_json::from_slice(bytes.get(4..)?.get(..length)?).ok()
}

/// The next message; `None` at the end.
pub(crate) fn receive<T: DeserializeOwned>(mut stream: &UnixStream) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match stream.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length) as usize;
    if length > LARGEST {
        return Err(io::Error::other("message too long"));
    }
    let mut data = vec![0; length];
    stream.read_exact(&mut data)?;
    Ok(Some(serde_json::from_slice(&data)?))
}
