//! Messages between processes: JSON prefixed by its length, with files if needed.

use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The maximum number of files per message.
const MOST_FILES: usize = 8;
/// The maximum length of a message.
const LARGEST: usize = 512 << 20;
/// The maximum length of a message from a candidate.
const SHORT: usize = 1 << 16;

/// Sends a message.
pub(crate) fn send(stream: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    send_with_files(stream, &serde_json::to_vec(message)?, &[])
}

/// Sends bytes prefixed by their length, along with files.
pub(crate) fn send_with_files(
    mut stream: &UnixStream,
    bytes: &[u8],
    files: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::Error::other("message too long"))?;
    let head = length.to_le_bytes();
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST_FILES))];
    let mut rights = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !rights.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::Error::other("too many files"));
    }
    let parts = [IoSlice::new(&head), IoSlice::new(bytes)];
    let sent = sendmsg(stream, &parts, &mut rights, SendFlags::NOSIGNAL)?;
    // Files are sent along with the first byte, so that the reader of the length receives them.
    stream.write_all(head.get(sent..).unwrap_or_default())?;
    stream.write_all(&bytes[sent.saturating_sub(head.len())..])
}

/// Returns true if untrusted bytes are a whole message, or too many for one.
pub(crate) fn is_whole(bytes: &[u8]) -> bool {
    match bytes.first_chunk() {
        Some(length) => {
            let length = u32::from_le_bytes(*length) as usize;
            length > SHORT || bytes.len() >= length + 4
        }
        None => false,
    }
}

/// Decodes such bytes, if they are a message.
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

/// The next message and the files sent along with it; `None` at the end.
pub(crate) fn receive_with_files<T: DeserializeOwned>(
    mut stream: &UnixStream,
) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut length = [0; 4];
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(MOST_FILES))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(&mut length)];
    let read = recvmsg(stream, &mut parts, &mut rights, RecvFlags::CMSG_CLOEXEC)?.bytes;
    let mut files = Vec::new();
    for message in rights.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            files.extend(received);
        }
    }
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
