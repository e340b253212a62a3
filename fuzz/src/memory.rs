//! The memory that a target takes, held against the size of its input.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::Target;

/// Bytes that any input may take, and how many more for each of its own.
const MOST: (usize, usize) = (128 << 20, 160);

/// Bytes in use, and the most there were.
static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, counted.
struct Counted;

#[global_allocator]
static ALLOCATOR: Counted = Counted;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(USED.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

/// Runs a target on an input.
///
/// # Panics
/// As the target; if it takes more memory than an input of that size may.
pub fn held_against_memory(run: Target, input: &[u8]) {
    let before = USED.load(Relaxed);
    PEAK.store(before, Relaxed);
    run(input);
    let taken = PEAK.load(Relaxed).saturating_sub(before);
    let most = MOST.0 + MOST.1 * input.len();
    assert!(taken <= most, "{} bytes of input took {taken} bytes of memory, of {most}", input.len());
}
