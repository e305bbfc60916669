//! Messages between a process and its guard: one request with the command and its files, and short notices.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

use crate::command::Files;

/// The maximum length of a command; the kernel takes no longer one.
const LONGEST: usize = 16 << 20;

/// A notice from the guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notice {
    /// The command runs as this process.
    Started(i32),
    /// The command did not start, for this reason of the system.
    Failed(i32),
    /// The command ended with this status, as the system encodes it.
    Ended(i32),
}

impl Notice {
    const BYTES: usize = 5;

    pub(crate) fn send(self, mut stream: &UnixStream) -> io::Result<()> {
        let (kind, number) = match self {
            Self::Started(pid) => (b'S', pid),
            Self::Failed(errno) => (b'F', errno),
            Self::Ended(status) => (b'E', status),
        };
        let [a, b, c, d] = number.to_le_bytes();
        stream.write_all(&[kind, a, b, c, d])
    }

    /// The next notice; `None` at the end of the stream.
    pub(crate) fn receive(mut stream: &UnixStream) -> io::Result<Option<Self>> {
        let mut bytes = [0; Self::BYTES];
        match stream.read_exact(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let [kind, a, b, c, d] = bytes;
        let number = i32::from_le_bytes([a, b, c, d]);
        match kind {
            b'S' => Ok(Some(Self::Started(number))),
            b'F' => Ok(Some(Self::Failed(number))),
            b'E' => Ok(Some(Self::Ended(number))),
            _ => Err(io::Error::other("the guard sent something unknown")),
        }
    }
}

/// Sends the words of a command and its files.
pub(crate) fn send_request(
    mut stream: &UnixStream,
    words: &[OsString],
    files: &Files,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for word in words {
        if word.as_bytes().contains(&0) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a zero byte in the command"));
        }
        bytes.extend_from_slice(word.as_bytes());
        bytes.push(0);
    }
    let length = u32::try_from(bytes.len()).ok().filter(|length| *length as usize <= LONGEST);
    let head = length.ok_or(io::ErrorKind::ArgumentListTooLong)?.to_le_bytes();
    let files: Vec<BorrowedFd<'_>> = files.iter().map(AsFd::as_fd).collect();
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut rights = SendAncillaryBuffer::new(&mut space);
    rights.push(SendAncillaryMessage::ScmRights(&files));
    // The files travel with the first byte.
    let sent = sendmsg(stream, &[IoSlice::new(&head)], &mut rights, SendFlags::NOSIGNAL)?;
    stream.write_all(&head[sent..])?;
    stream.write_all(&bytes)
}

/// Receives the words of a command and its files; `None` if the other side is gone.
pub(crate) fn receive_request(
    mut stream: &UnixStream,
) -> io::Result<Option<(Vec<OsString>, Files)>> {
    let mut head = [0; 4];
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut rights = RecvAncillaryBuffer::new(&mut space);
    let mut parts = [IoSliceMut::new(&mut head)];
    let read = recvmsg(stream, &mut parts, &mut rights, RecvFlags::CMSG_CLOEXEC)?.bytes;
    let received = rights.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    let files: Vec<OwnedFd> = received.flatten().collect();
    let Ok(files) = Files::try_from(files) else { return Ok(None) };
    stream.read_exact(&mut head[read..])?;
    let length = u32::from_le_bytes(head) as usize;
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    let words = bytes.split_inclusive(|byte| *byte == 0);
    let words = words.map(|word| OsStr::from_bytes(word.strip_suffix(&[0]).unwrap_or(word)));
    Ok(Some((words.map(OsStr::to_owned).collect(), files)))
}
