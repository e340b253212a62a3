//! What happens where there is no memory left: one sentence and status 1, in the place of an abort.

// An allocator is unsafe by its nature; every call goes to the system's as it came.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Result, Stderr, Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use crate::{limits, read};

/// The system's allocator; a program that takes it ends with a sentence where the system refuses memory.
#[derive(Debug)]
pub struct Memory;

// SAFETY: what is returned is what the system's allocator returns for the same request.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        had(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise.
        had(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        had(unsafe { System.realloc(place, layout, size) }, size)
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(place, layout) }
    }
}

/// What the system gave, if it gave anything.
fn had(place: *mut u8, bytes: usize) -> *mut u8 {
    if place.is_null() {
        refused(bytes);
    }
    place
}

/// Ends the program, without asking for memory. One that holds its own memory is to be seen to crash.
#[cold]
fn refused(bytes: usize) -> ! {
    if limits::is_held() {
        std::process::abort();
    }
    end(|stderr| {
        write!(stderr, "error: there is no memory for {bytes} bytes more")?;
        read::with_last_opened(|file| write!(stderr, "; the file opened last is {file}"))?;
        writeln!(stderr, "; take smaller files, or let the program have more memory")
    })
}

/// Ends the program with status 1 and what is told; nothing is told twice, should another thread come to its end, too.
pub fn end(tell: impl FnOnce(&mut Stderr) -> Result<()>) -> ! {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if TOLD.swap(true, Ordering::Relaxed) {
        sleep(Duration::from_millis(100));
    } else {
        let _ = tell(&mut stderr());
    }
    std::process::exit(1);
}
