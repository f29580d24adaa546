//! What the probe and its supervisor say to each other, over a socket that is also the lifeline:
//! when the probe's end is gone, so is the probe.
//!
//! Every message is one record of eight numbers. Descriptors travel beside it, and a program's
//! name, arguments and environment after it.

use std::ffi::{CString, OsString};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::Duration;

use model::{ExitStatus, ResourceUsage};
use rustix::io::{read, retry_on_intr};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, send, sendmsg,
};

use super::start::Program;

const NUMBERS: usize = 8;
const BYTES: usize = NUMBERS * size_of::<i64>();
/// As many descriptors as one message carries at most: the three streams of a server.
const DESCRIPTORS: usize = 3;

type Record = [i64; NUMBERS];

/// What the probe asks of its supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// To start the program that follows in so many bytes, with the three descriptors beside it.
    /// Answered by `Started` or `Refused`.
    Start { bytes: usize },
    /// To send SIGTERM and SIGCONT to the server's group. Not answered.
    Terminate,
    /// To send SIGKILL to the server's group. Not answered.
    Kill,
    /// To collect the server's exit status. Answered by `Reaped`.
    Reap,
    /// To wait until no descendant of the server is left, or for so long. Answered by `Left`, at
    /// the latest when something else is asked.
    Await(Duration),
    /// To kill all descendants of the server, and to wait for so long until they are gone.
    /// Answered by `Left`.
    KillStrays(Duration),
}

/// What the supervisor answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// The supervisor can do its work. The first thing that it says.
    Ready,
    /// It cannot, for the reason that has this number.
    Unable { errno: i32 },
    /// The server runs under this number; something that becomes readable when it ends comes
    /// with it.
    Started { pid: i32 },
    /// The kernel did not start it, for the reason that has this number.
    Refused { errno: i32 },
    /// How the server ended, if it has, what it used, and what is left of its descendants.
    Reaped { status: Option<(ExitStatus, ResourceUsage)>, left: Left },
    /// What is left of the server's descendants.
    Left(Left),
}

/// Descendants of a server that was reaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// So many; none if it is 0.
    Counted(u32),
    /// Some, which cannot be seen.
    Unseen,
}

impl Request {
    fn record(self) -> Record {
        let millis = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        match self {
            Self::Start { bytes } => record([1, i64::try_from(bytes).unwrap_or(i64::MAX)]),
            Self::Terminate => record([2]),
            Self::Kill => record([3]),
            Self::Reap => record([4]),
            Self::Await(time) => record([5, millis(time)]),
            Self::KillStrays(time) => record([6, millis(time)]),
        }
    }

    fn of(record: Record) -> Option<Self> {
        let time = || Duration::from_millis(u64::try_from(record[1]).unwrap_or(0));
        Some(match record[0] {
            1 => Self::Start { bytes: usize::try_from(record[1]).ok()? },
            2 => Self::Terminate,
            3 => Self::Kill,
            4 => Self::Reap,
            5 => Self::Await(time()),
            6 => Self::KillStrays(time()),
            _ => return None,
        })
    }
}

impl Reply {
    fn record(self) -> Record {
        match self {
            Self::Ready => record([1]),
            Self::Unable { errno } => record([2, errno.into()]),
            Self::Started { pid } => record([3, pid.into()]),
            Self::Refused { errno } => record([4, errno.into()]),
            Self::Reaped { status: None, left } => record([5, left.number()]),
            Self::Reaped { status: Some((status, usage)), left } => {
                let (kind, number) = match status {
                    ExitStatus::Code(code) => (1, code),
                    ExitStatus::Signal(signal) => (2, signal),
                };
                let micros = |time: Duration| i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
                let memory = i64::try_from(usage.max_rss_bytes).unwrap_or(i64::MAX);
                let times = [micros(usage.user), micros(usage.system)];
                record([5, left.number(), kind, number.into(), times[0], times[1], memory])
            }
            Self::Left(left) => record([6, left.number()]),
        }
    }

    fn of(record: Record) -> Option<Self> {
        let small = |number: i64| i32::try_from(number).ok();
        let size = |number: i64| u64::try_from(number).unwrap_or(0);
        Some(match record[0] {
            1 => Self::Ready,
            2 => Self::Unable { errno: small(record[1])? },
            3 => Self::Started { pid: small(record[1])? },
            4 => Self::Refused { errno: small(record[1])? },
            5 => {
                let status = match record[2] {
                    1 => Some(ExitStatus::Code(small(record[3])?)),
                    2 => Some(ExitStatus::Signal(small(record[3])?)),
                    _ => None,
                };
                let usage = ResourceUsage {
                    user: Duration::from_micros(size(record[4])),
                    system: Duration::from_micros(size(record[5])),
                    max_rss_bytes: size(record[6]),
                };
                let status = status.map(|status| (status, usage));
                Self::Reaped { status, left: Left::of(record[1]) }
            }
            6 => Self::Left(Left::of(record[1])),
            _ => return None,
        })
    }
}

impl Left {
    fn number(self) -> i64 {
        match self {
            Self::Counted(count) => count.into(),
            Self::Unseen => -1,
        }
    }

    fn of(number: i64) -> Self {
        u32::try_from(number).map_or(Self::Unseen, Self::Counted)
    }
}

fn record<const N: usize>(numbers: [i64; N]) -> Record {
    let mut record = [0; NUMBERS];
    record[..N].copy_from_slice(&numbers);
    record
}

/// Sends a request, and beside it the streams of a server to start.
pub(crate) fn send_request(
    socket: impl AsFd,
    request: Request,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    send_record(socket, request.record(), descriptors)
}

/// Sends a reply, and beside it what tells of the server's end.
pub(crate) fn send_reply(
    socket: impl AsFd,
    reply: Reply,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    send_record(socket, reply.record(), descriptors)
}

/// Receives a request, and what came beside it. None at the end: the probe is gone.
pub(crate) fn receive_request(socket: impl AsFd) -> io::Result<Option<(Request, Vec<OwnedFd>)>> {
    let Some((record, descriptors)) = receive_record(socket)? else {
        return Ok(None);
    };
    let request = Request::of(record).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some((request, descriptors)))
}

/// Receives a reply, and what came beside it.
pub(crate) fn receive_reply(socket: impl AsFd) -> io::Result<(Reply, Vec<OwnedFd>)> {
    let (record, descriptors) = receive_record(socket)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let reply = Reply::of(record).ok_or(io::ErrorKind::InvalidData)?;
    Ok((reply, descriptors))
}

fn send_record(
    socket: impl AsFd,
    record: Record,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let mut bytes = [0; BYTES];
    for (place, number) in bytes.chunks_exact_mut(size_of::<i64>()).zip(record) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut beside = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !beside.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // So short a message is taken whole or not at all.
    retry_on_intr(|| sendmsg(&socket, &[IoSlice::new(&bytes)], &mut beside, SendFlags::NOSIGNAL))?;
    Ok(())
}

fn receive_record(socket: impl AsFd) -> io::Result<Option<(Record, Vec<OwnedFd>)>> {
    let mut bytes = [0; BYTES];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut beside = RecvAncillaryBuffer::new(&mut space);
    let received = retry_on_intr(|| {
        let mut parts = [IoSliceMut::new(&mut bytes)];
        recvmsg(&socket, &mut parts, &mut beside, RecvFlags::CMSG_CLOEXEC | RecvFlags::WAITALL)
    })?;
    let mut descriptors = Vec::new();
    for message in beside.drain() {
        if let RecvAncillaryMessage::ScmRights(rights) = message {
            descriptors.extend(rights);
        }
    }
    match received.bytes {
        0 => Ok(None),
        BYTES => {
            let mut record = [0; NUMBERS];
            for (number, place) in record.iter_mut().zip(bytes.chunks_exact(size_of::<i64>())) {
                *number = i64::from_le_bytes(place.try_into().expect("as long as a number"));
            }
            Ok(Some((record, descriptors)))
        }
        _ => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Sends bytes that belong to a request.
pub(crate) fn send_bytes(socket: impl AsFd, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let sent = retry_on_intr(|| send(&socket, bytes, SendFlags::NOSIGNAL))?;
        bytes = &bytes[sent..];
    }
    Ok(())
}

/// Receives bytes that belong to a request.
pub(crate) fn receive_bytes(socket: impl AsFd, count: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; count];
    let mut filled = 0;
    while filled < count {
        match retry_on_intr(|| read(&socket, &mut bytes[filled..]))? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            received => filled += received,
        }
    }
    Ok(bytes)
}

/// A program as bytes: file, directory, number of arguments, then all strings, each ended by NUL.
pub(crate) fn encode(program: &Program) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut put = |text: &[u8]| {
        bytes.extend_from_slice(text);
        bytes.push(0);
    };
    put(program.file.as_os_str().as_encoded_bytes());
    // No path is empty, so an empty one stands for none.
    put(program.directory.as_ref().map_or(&[], |path| path.as_os_str().as_encoded_bytes()));
    put(program.args.len().to_string().as_bytes());
    for text in program.args.iter().chain(&program.environment) {
        put(text.as_bytes());
    }
    bytes
}

/// The program that these bytes stand for. None if they stand for none.
pub(crate) fn decode(bytes: &[u8]) -> Option<Program> {
    let mut strings = bytes.strip_suffix(b"\0")?.split(|byte| *byte == 0);
    let path = |text: &[u8]| PathBuf::from(OsString::from_vec(text.to_vec()));
    let file = path(strings.next()?);
    let directory = strings.next().map(|text| (!text.is_empty()).then(|| path(text)))?;
    let count: usize = str::from_utf8(strings.next()?).ok()?.parse().ok()?;
    let mut texts: Vec<CString> = strings.map(CString::new).collect::<Result<_, _>>().ok()?;
    let environment = (count <= texts.len()).then(|| texts.split_off(count))?;
    Some(Program { file, args: texts, environment, directory })
}

#[cfg(test)]
mod tests {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    use rustix::pipe::pipe;

    use super::*;

    fn sockets() -> (OwnedFd, OwnedFd) {
        socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap()
    }

    #[test]
    fn every_message_arrives_as_it_was_sent() {
        let (ours, theirs) = sockets();
        let time = Duration::from_millis(1234);
        for request in [
            Request::Start { bytes: 7 },
            Request::Terminate,
            Request::Kill,
            Request::Reap,
            Request::Await(time),
            Request::KillStrays(time),
        ] {
            send_request(&ours, request, &[]).unwrap();
            assert_eq!(receive_request(&theirs).unwrap().unwrap().0, request);
        }
        let usage = ResourceUsage { user: time, system: time / 2, max_rss_bytes: 4096 };
        for reply in [
            Reply::Ready,
            Reply::Unable { errno: 1 },
            Reply::Started { pid: 42 },
            Reply::Refused { errno: 2 },
            Reply::Reaped { status: None, left: Left::Unseen },
            Reply::Reaped { status: Some((ExitStatus::Code(-1), usage)), left: Left::Counted(0) },
            Reply::Reaped { status: Some((ExitStatus::Signal(9), usage)), left: Left::Counted(3) },
            Reply::Left(Left::Counted(2)),
        ] {
            send_reply(&theirs, reply, &[]).unwrap();
            assert_eq!(receive_reply(&ours).unwrap().0, reply);
        }
        drop(ours);
        assert!(receive_request(&theirs).unwrap().is_none());
    }

    #[test]
    fn descriptors_travel_beside_a_message() {
        let (ours, theirs) = sockets();
        let (read_end, write_end) = pipe().unwrap();
        let beside = [read_end.as_fd(), write_end.as_fd(), read_end.as_fd()];
        send_request(&ours, Request::Start { bytes: 2 }, &beside).unwrap();
        send_bytes(&ours, b"ab").unwrap();
        let (request, descriptors) = receive_request(&theirs).unwrap().unwrap();
        assert_eq!((request, descriptors.len()), (Request::Start { bytes: 2 }, 3));
        assert_eq!(receive_bytes(&theirs, 2).unwrap(), b"ab");
        rustix::io::write(&descriptors[1], b"x").unwrap();
        assert_eq!(read(&read_end, &mut [0; 1]).unwrap(), 1);
    }

    #[test]
    fn a_program_arrives_as_it_was_sent() {
        let text = |text: &str| CString::new(text).unwrap();
        let program = Program {
            file: "/bin/a b".into(),
            args: vec![text("a b"), text(""), text("\u{fe0f}\n")],
            environment: vec![text("A="), text("B=c=d")],
            directory: Some("/tmp".into()),
        };
        assert_eq!(decode(&encode(&program)), Some(program.clone()));
        let plain = Program { environment: Vec::new(), directory: None, ..program };
        assert_eq!(decode(&encode(&plain)), Some(plain));
        assert_eq!(decode(b""), None);
        assert_eq!(decode(b"/bin/a\0\x005\0a\0"), None);
    }
}
