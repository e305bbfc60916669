//! The connection between a Rust candidate and its tests, which are two processes. Both are linked with this library,
//! which is compiled once for all of them.
//!
//! A value is a tag and its content: i<decimal>; for integers, d<16 hexadecimal digits> for floating point numbers,
//! s<length>;<bytes> for strings, l<count>; for lists and maps.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fs::File;
use std::hash::{BuildHasher, Hash};
use std::io::{BufReader, Read, Write};
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::panic;
use std::process::exit;
use std::sync::Mutex;

/// The other side.
pub struct Peer {
    from: ManuallyDrop<BufReader<File>>,
    to: ManuallyDrop<File>,
    outgoing: Vec<u8>,
    serving: bool,
    /// The number of bytes received since the last question.
    came: usize,
}

/// The maximum number of bytes of an answer.
const LONGEST: usize = 64 << 20;

static PEER: Mutex<Option<Peer>> = Mutex::new(None);

fn say(text: &str) {
    let _ = std::io::stderr().write_all(format!("\n\u{1}assay\u{1}{text}\u{1}\n").as_bytes());
}

impl Peer {
    fn new(serving: bool) -> Self {
        // SAFETY: the sandbox gives these files to both sides, and nothing else here uses them.
        let file = |number| unsafe { File::from_raw_fd(number) };
        Self {
            from: ManuallyDrop::new(BufReader::new(file(3))),
            to: ManuallyDrop::new(file(4)),
            outgoing: Vec::new(),
            serving,
            came: 0,
        }
    }

    /// Exits because the other side is gone.
    fn over(&self) -> ! {
        if self.serving {
            exit(0);
        }
        say("gone");
        exit(3)
    }

    fn wrong(&self, text: &str) -> ! {
        say(&format!("wrong\u{1}{text}"));
        exit(1)
    }

    fn flush(&mut self) {
        self.came = 0;
        if self.to.write_all(&self.outgoing).is_err() {
            self.over();
        }
        self.outgoing.clear();
    }

    fn next(&mut self) -> u8 {
        let mut byte = [0];
        if self.from.read_exact(&mut byte).is_err() {
            self.over();
        }
        self.came += 1;
        self.bound(self.came);
        byte[0]
    }

    /// Ends the tests of a candidate that answers with more than they accept.
    fn bound(&self, size: usize) {
        if size > LONGEST && !self.serving {
            say("much");
            exit(1);
        }
    }

    fn expect(&mut self, tag: u8) {
        if self.next() != tag {
            self.wrong("it answers with a value of another type");
        }
    }

    fn digits(&mut self, tag: u8) -> String {
        self.expect(tag);
        let mut text = String::new();
        loop {
            match self.next() {
                b';' => return text,
                _ if text.len() > 50 => self.wrong("it answers with a number that is none"),
                digit => text.push(digit as char),
            }
        }
    }

    fn count(&mut self, tag: u8) -> usize {
        let count = self.digits(tag).parse().unwrap_or(0);
        self.bound(count);
        count
    }

    fn put_number(&mut self, tag: u8, number: impl std::fmt::Display) {
        self.outgoing.push(tag);
        self.outgoing.extend_from_slice(number.to_string().as_bytes());
        self.outgoing.push(b';');
    }
}

/// A value that can be sent.
pub trait Put {
    fn put(&self, peer: &mut Peer);
}

/// A value that can be received.
pub trait Get: Sized {
    fn get(peer: &mut Peer) -> Self;
}

macro_rules! whole {
    ($($kind:ty)*) => { $(
        impl Put for $kind {
            fn put(&self, peer: &mut Peer) {
                peer.put_number(b'i', self);
            }
        }
        impl Get for $kind {
            fn get(peer: &mut Peer) -> Self {
                match peer.digits(b'i').parse() {
                    Ok(number) => number,
                    Err(_) => peer.wrong("it answers with a number that does not fit"),
                }
            }
        }
    )* };
}

whole!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! floating {
    ($($kind:ty)*) => { $(
        impl Put for $kind {
            fn put(&self, peer: &mut Peer) {
                let text = format!("d{:016x}", f64::from(*self).to_bits());
                peer.outgoing.extend_from_slice(text.as_bytes());
            }
        }
        impl Get for $kind {
            fn get(peer: &mut Peer) -> Self {
                peer.expect(b'd');
                let text: String = (0..16).map(|_| peer.next() as char).collect();
                f64::from_bits(u64::from_str_radix(&text, 16).unwrap_or(0)) as $kind
            }
        }
    )* };
}

floating!(f32 f64);

impl Put for bool {
    fn put(&self, peer: &mut Peer) {
        peer.put_number(b'i', u8::from(*self));
    }
}

impl Get for bool {
    fn get(peer: &mut Peer) -> Self {
        u8::get(peer) != 0
    }
}

impl Put for char {
    fn put(&self, peer: &mut Peer) {
        peer.put_number(b'i', u32::from(*self));
    }
}

impl Get for char {
    fn get(peer: &mut Peer) -> Self {
        char::from_u32(u32::get(peer)).unwrap_or('\u{fffd}')
    }
}

impl Put for () {
    fn put(&self, _: &mut Peer) {}
}

impl Get for () {
    fn get(_: &mut Peer) -> Self {}
}

impl Put for str {
    fn put(&self, peer: &mut Peer) {
        peer.put_number(b's', self.len());
        peer.outgoing.extend_from_slice(self.as_bytes());
    }
}

impl Put for String {
    fn put(&self, peer: &mut Peer) {
        self.as_str().put(peer);
    }
}

impl Get for String {
    fn get(peer: &mut Peer) -> Self {
        let count = peer.count(b's');
        let bytes: Vec<u8> = (0..count).map(|_| peer.next()).collect();
        Self::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Get for &'static str {
    fn get(peer: &mut Peer) -> Self {
        String::get(peer).leak()
    }
}

impl<T: Put + ?Sized> Put for &T {
    fn put(&self, peer: &mut Peer) {
        (**self).put(peer);
    }
}

impl<T: Put + ?Sized> Put for &mut T {
    fn put(&self, peer: &mut Peer) {
        (**self).put(peer);
    }
}

impl<T: Get> Get for &'static T {
    fn get(peer: &mut Peer) -> Self {
        Box::leak(Box::new(T::get(peer)))
    }
}

impl<T: Get> Get for &'static mut T {
    fn get(peer: &mut Peer) -> Self {
        Box::leak(Box::new(T::get(peer)))
    }
}

impl<T: Put> Put for [T] {
    fn put(&self, peer: &mut Peer) {
        peer.put_number(b'l', self.len());
        self.iter().for_each(|item| item.put(peer));
    }
}

impl<T: Get> Get for &'static [T] {
    fn get(peer: &mut Peer) -> Self {
        Vec::get(peer).leak()
    }
}

impl<T: Put, const N: usize> Put for [T; N] {
    fn put(&self, peer: &mut Peer) {
        self.as_slice().put(peer);
    }
}

impl<T: Get, const N: usize> Get for [T; N] {
    fn get(peer: &mut Peer) -> Self {
        match Vec::get(peer).try_into() {
            Ok(items) => items,
            Err(_) => peer.wrong("it answers with a list of another length"),
        }
    }
}

macro_rules! collections {
    ($(($kind:ty, [$($bounds:tt)*], $item:ty))*) => { $(
        impl<$($bounds)*> Get for $kind where $item: Get {
            fn get(peer: &mut Peer) -> Self {
                let count = peer.count(b'l');
                (0..count).map(|_| <$item>::get(peer)).collect()
            }
        }
    )* };
}

collections! {
    (Vec<T>, [T], T)
    (VecDeque<T>, [T], T)
    (BTreeSet<T>, [T: Ord], T)
    (HashSet<T, S>, [T: Eq + Hash, S: BuildHasher + Default], T)
    (BTreeMap<K, V>, [K: Ord, V], (K, V))
    (HashMap<K, V, S>, [K: Eq + Hash, V, S: BuildHasher + Default], (K, V))
}

impl<T: Put> Put for Vec<T> {
    fn put(&self, peer: &mut Peer) {
        self.as_slice().put(peer);
    }
}

macro_rules! iterated {
    ($(($kind:ty, [$($bounds:tt)*]))*) => { $(
        impl<$($bounds)*> Put for $kind {
            fn put(&self, peer: &mut Peer) {
                peer.put_number(b'l', self.len());
                self.iter().for_each(|item| item.put(peer));
            }
        }
    )* };
}

iterated! {
    (VecDeque<T>, [T: Put])
    (BTreeSet<T>, [T: Put])
    (HashSet<T, S>, [T: Put, S])
    (BTreeMap<K, V>, [K: Put, V: Put])
    (HashMap<K, V, S>, [K: Put, V: Put, S])
}

macro_rules! tuples {
    ($(($($name:ident)*))*) => { $(
        impl<$($name: Put),*> Put for ($($name,)*) {
            #[allow(non_snake_case)]
            fn put(&self, peer: &mut Peer) {
                let ($($name,)*) = self;
                $($name.put(peer);)*
            }
        }
        impl<$($name: Get),*> Get for ($($name,)*) {
            fn get(peer: &mut Peer) -> Self {
                ($($name::get(peer),)*)
            }
        }
    )* };
}

tuples!((A)(A B)(A B C)(A B C D)(A B C D E));

impl<T: Put> Put for Option<T> {
    fn put(&self, peer: &mut Peer) {
        self.is_some().put(peer);
        if let Some(value) = self {
            value.put(peer);
        }
    }
}

impl<T: Get> Get for Option<T> {
    fn get(peer: &mut Peer) -> Self {
        bool::get(peer).then(|| T::get(peer))
    }
}

impl<T: Put, E: Put> Put for Result<T, E> {
    fn put(&self, peer: &mut Peer) {
        self.is_ok().put(peer);
        match self {
            Ok(value) => value.put(peer),
            Err(error) => error.put(peer),
        }
    }
}

impl<T: Get, E: Get> Get for Result<T, E> {
    fn get(peer: &mut Peer) -> Self {
        if bool::get(peer) { Ok(T::get(peer)) } else { Err(E::get(peer)) }
    }
}

impl<T: Put + ?Sized> Put for Box<T> {
    fn put(&self, peer: &mut Peer) {
        (**self).put(peer);
    }
}

impl<T: Get> Get for Box<T> {
    fn get(peer: &mut Peer) -> Self {
        Box::new(T::get(peer))
    }
}

/// The types that a value of any type can have; others arrive as `()`.
macro_rules! any {
    ($($tag:literal $kind:ty;)*) => {
        impl Put for dyn Any {
            fn put(&self, peer: &mut Peer) {
                $(if let Some(value) = self.downcast_ref::<$kind>() {
                    peer.outgoing.push($tag);
                    return value.put(peer);
                })*
                peer.outgoing.push(b'0');
            }
        }
        impl Get for Box<dyn Any> {
            fn get(peer: &mut Peer) -> Self {
                match peer.next() {
                    $($tag => Box::new(<$kind>::get(peer)),)*
                    _ => Box::new(()),
                }
            }
        }
    };
}

any! {
    b'a' i32; b'b' i64; b'c' f64; b'd' f32; b'e' bool; b'f' char; b'g' String; b'h' &'static str;
    b'i' Vec<Box<dyn Any>>; b'j' u32; b'k' u64; b'l' usize; b'm' Vec<i32>; b'n' Vec<String>;
}

impl Get for &'static dyn Any {
    fn get(peer: &mut Peer) -> Self {
        Box::leak(<Box<dyn Any>>::get(peer))
    }
}

/// Calls the candidate.
pub fn ask<T: Get>(arguments: &[&dyn Put]) -> T {
    let mut held = PEER.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let peer = held.get_or_insert_with(|| Peer::new(false));
    peer.outgoing.push(b'c');
    arguments.iter().for_each(|argument| argument.put(peer));
    peer.flush();
    T::get(peer)
}

/// Runs the tests once the candidate is ready; a panic is a wrong answer.
pub fn test(run: impl FnOnce()) {
    panic::set_hook(Box::new(|info| {
        let line = info.location().map_or(0, |location| location.line());
        say(&format!("wrong\u{1}{} (line {line} of the tests)", message(info)));
        exit(1);
    }));
    let mut peer = Peer::new(false);
    peer.expect(b'h');
    *PEER.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(peer);
    run();
}

/// The line and the message of the latest panic.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

extern "C" {
    fn signal(number: i32, handler: extern "C" fn(i32)) -> usize;
    fn write(file: i32, bytes: *const u8, count: usize) -> isize;
    fn _exit(status: i32) -> !;
}

/// The signal of a candidate that aborts.
const ABORT: i32 = 6;

/// Reports that the candidate aborted. It is the first process of its namespace, which the signal itself does not end.
extern "C" fn gave_up(number: i32) {
    let said = b"\n\x01assay\x01crashed\x016\x01\n";
    // SAFETY: both may be called from a signal handler; no memory may be allocated any more.
    unsafe {
        write(2, said.as_ptr(), said.len());
        _exit(128 + number)
    }
}

/// Reports that the candidate is ready, and then answers calls until the tests are gone. A panic that the candidate
/// catches itself, or that ends another of its threads, is its own affair.
pub fn serve(mut call: impl FnMut(&mut Peer)) -> ! {
    // SAFETY: the handler ends the process; nothing that it interrupts continues.
    unsafe { signal(ABORT, gave_up) };
    panic::set_hook(Box::new(|info| {
        let place = info.location().filter(|location| location.file().ends_with("program.rs"));
        let line = place.map_or(String::new(), |location| location.line().to_string());
        let mut last = LAST_PANIC.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *last = format!("{line}\u{1}{}", message(info));
    }));
    let mut peer = Peer::new(true);
    peer.outgoing.push(b'h');
    peer.flush();
    loop {
        peer.expect(b'c');
        if panic::catch_unwind(panic::AssertUnwindSafe(|| call(&mut peer))).is_err() {
            let last = LAST_PANIC.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            say(&format!("raised\u{1}panic\u{1}{last}"));
            exit(101);
        }
        peer.flush();
    }
}

fn message(info: &panic::PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

/// Receives a value.
pub fn get<T: Get>(peer: &mut Peer) -> T {
    T::get(peer)
}

/// Sends a value.
pub fn put<T: Put + ?Sized>(peer: &mut Peer, value: &T) {
    value.put(peer);
}
