//! Copies of many numbers. The compiler copies up to 64 bytes in place, several registers at a time; for more it calls a function that takes three
//! instructions for each number.

/// Numbers of single precision in 64 bytes.
const BLOCK: usize = 16;

/// Copies numbers a block at a time; beyond four of them as the compiler likes.
#[inline(always)]
pub(super) fn copy<T: Copy, const N: usize>(from: &[T; N], to: &mut [T; N]) {
    // Written out, because a loop over copies becomes one copy again.
    copy_block(from, to, 0);
    copy_block(from, to, BLOCK);
    copy_block(from, to, 2 * BLOCK);
    copy_block(from, to, 3 * BLOCK);
    for n in 4 * BLOCK..N {
        to[n] = from[n];
    }
}

/// One of them, or what is left of it.
#[inline(always)]
fn copy_block<T: Copy, const N: usize>(from: &[T; N], to: &mut [T; N], first: usize) {
    let block = from.get(first..).and_then(<[T]>::first_chunk::<BLOCK>);
    let place = to
        .get_mut(first..)
        .and_then(<[T]>::first_chunk_mut::<BLOCK>);
    if let (Some(block), Some(place)) = (block, place) {
        *place = *block;
        return;
    }
    for n in first..N.min(first + BLOCK) {
        to[n] = from[n];
    }
}
