//! Messages between processes: JSON after its length, with files where needed.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;

use nix::cmsg_space;
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, recvmsg, sendmsg};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::sys;

/// The longest message that is read.
const LARGEST: usize = 512 << 20;
/// The longest message that is read from a program.
const SHORT: usize = 1 << 16;

/// Sends a message.
pub(crate) fn send(stream: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    send_with_files(stream, &serde_json::to_vec(message)?, &[])
}

/// Sends bytes after their length, and files along with them.
pub(crate) fn send_with_files(
    mut stream: &UnixStream,
    bytes: &[u8],
    files: &[RawFd],
) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::Error::other("message too long"))?;
    let head = length.to_le_bytes();
    let rights = [ControlMessage::ScmRights(files)];
    let rights = if files.is_empty() { &[] } else { &rights[..] };
    let parts = [IoSlice::new(&head), IoSlice::new(bytes)];
    let sent = sendmsg::<()>(stream.as_raw_fd(), &parts, rights, MsgFlags::MSG_NOSIGNAL, None)?;
    // Files travel with the first byte, so that whoever reads the length has them.
    stream.write_all(head.get(sent..).unwrap_or_default())?;
    stream.write_all(&bytes[sent.saturating_sub(head.len())..])
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
    receive_body(stream, length).map(Some)
}

/// The next message and the files that came with it; `None` at the end.
pub(crate) fn receive_with_files<T: DeserializeOwned>(
    mut stream: &UnixStream,
) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut length = [0; 4];
    let mut space = cmsg_space!([RawFd; 4]);
    let (read, files) = {
        let mut parts = [IoSliceMut::new(&mut length)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        let received = recvmsg::<()>(stream.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
        let mut files = Vec::new();
        for message in received.cmsgs()? {
            if let ControlMessageOwned::ScmRights(numbers) = message {
                files.extend(numbers.into_iter().map(sys::own_file));
            }
        }
        (received.bytes, files)
    };
    if read == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut length[read..])?;
    Ok(Some((receive_body(stream, length)?, files)))
}

fn receive_body<T: DeserializeOwned>(mut stream: &UnixStream, length: [u8; 4]) -> io::Result<T> {
    let length = u32::from_le_bytes(length) as usize;
    if length > LARGEST {
        return Err(io::Error::other("message too long"));
    }
    let mut data = vec![0; length];
    stream.read_exact(&mut data)?;
    Ok(serde_json::from_slice(&data)?)
}
