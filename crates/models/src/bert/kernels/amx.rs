//! Tiles for processors with AMX (Intel SDM, volume 1, chapter 18): sixteen rows by sixteen columns of
//! byte products at once, sixteen words deep.
//!
//! A panel's sixteen words lie as a tile of weights has them, so nothing is laid out anew. The sums are
//! exact, as everywhere. The compiler knows of no tile: what holds one begins and ends in one piece of
//! assembly. Here a tile is one of the processor's; elsewhere in `kernels` it is what is computed at once.

use std::{
    arch::{asm, x86_64::__cpuid_count},
    cell::Cell,
    marker::PhantomData,
};

use super::{BLOCK, Kernel, TILE_BLOCKS, TILE_ROWS, Tile, x86};

/// Rows of a tile.
const ROWS: usize = 16;
/// Words of a row of a tile.
const WORDS: usize = 16;
/// Bytes of a row of a tile.
const LINE: usize = 4 * WORDS;
// The assembly below has these numbers in it; rows that belong together in pairs are never parted.
const _: () =
    assert!(BLOCK == 16 && TILE_BLOCKS == 4 && ROWS == TILE_ROWS && ROWS.is_multiple_of(2));

/// What computes tiles of so many steps where AMX is.
pub fn kernel(steps: usize) -> Kernel<[u8; 4]> {
    match steps > 0 && steps.is_multiple_of(WORDS) {
        true => Kernel { compute: bytes, rows: ROWS, in_tiles: true },
        false => Kernel::in_vectors(x86::bytes_avx512_vnni),
    }
}

/// Whether tiles can be used, on a processor with AVX-512. Asks for the system's permission, without which
/// their first use is a fault.
pub fn runs_here() -> bool {
    // `amx-tile` and `amx-int8`.
    const BITS: u32 = 1 << 24 | 1 << 25;
    let has_tiles = __cpuid_count(7, 0).edx & BITS == BITS;
    has_tiles && may_be_used()
}

/// Asks for the state of tiles to be kept (`arch_prctl(2)`, since Linux 5.16). Refused where a thread has a
/// signal stack on which that state has no room.
#[cfg(target_os = "linux")]
fn may_be_used() -> bool {
    const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
    const XFEATURE_XTILEDATA: libc::c_long = 18;
    // SAFETY: takes numbers and changes what this process may do, nothing that lies in memory.
    unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
}

/// Nobody has tried it elsewhere.
#[cfg(not(target_os = "linux"))]
fn may_be_used() -> bool {
    false
}

/// Tiles of this thread, set up until this is dropped.
pub struct Tiles(PhantomData<*const ()>);

thread_local! {
    static ARE_SET_UP: Cell<bool> = const { Cell::new(false) };
}

impl Tiles {
    /// Tiles of `rows` rows of sums and words, and of sixteen words of weights.
    ///
    /// # Safety
    /// [`runs_here`] was true.
    ///
    /// # Panics
    /// When there are no rows, or more than [`ROWS`], or this thread has set some up already.
    pub unsafe fn new(rows: usize) -> Self {
        assert!((1..=ROWS).contains(&rows));
        assert!(!ARE_SET_UP.replace(true), "a product within a product");
        // Palette 1: bytes of a row of each tile from byte 16 on, their rows from byte 48 on.
        #[repr(align(64))]
        struct Layout([u8; 64]);
        let mut layout = Layout([0; 64]);
        layout.0[0] = 1;
        for tile in 0..8 {
            layout.0[16 + 2 * tile] = LINE as u8;
            // 0 to 3 are sums, 4 words of rows, 5 to 7 weights.
            layout.0[48 + tile] = if tile < 5 { rows as u8 } else { WORDS as u8 };
        }
        // SAFETY: reads 64 bytes, which are a valid layout.
        unsafe { asm!("ldtilecfg [{}]", in(reg) &raw const layout, options(nostack, readonly)) };
        Self(PhantomData)
    }
}

impl Drop for Tiles {
    fn drop(&mut self) {
        // SAFETY: there are tiles, and nobody needs what is in them.
        unsafe { asm!("tilerelease", options(nostack, nomem)) };
        ARE_SET_UP.set(false);
    }
}

/// See [`super::TileFn`]. Panels that are not as many as a tile takes are left to AVX-512.
///
/// # Safety
/// As there; this thread has [`Tiles`] of `rows` rows, and `steps` is a multiple of [`WORDS`] above zero.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")]
pub unsafe fn bytes(
    row: *const [u8; 4],
    stride: usize,
    rows: usize,
    panel: *const [i8; 4],
    blocks: usize,
    steps: usize,
    tile: &mut Tile<i32>,
) {
    if blocks != TILE_BLOCKS {
        // SAFETY: what this one asks for is what the caller promises.
        return unsafe { x86::bytes_avx512_vnni(row, stride, rows, panel, blocks, steps, tile) };
    }
    let block = steps * BLOCK;
    // SAFETY: the caller has `rows` rows of `steps` words and four panels of `steps` lines of sixteen words;
    // the tiles read sixteen words of each row and sixteen lines of each panel at a time, and write the
    // first `rows` rows of `tile`, of four times sixteen sums each.
    unsafe {
        asm!(
            "tilezero tmm0",
            "tilezero tmm1",
            "tilezero tmm2",
            "tilezero tmm3",
            "2:",
            "tileloadd tmm4, [{row} + {stride}*1]",
            "tileloadd tmm5, [{first} + {line}*1]",
            "tileloadd tmm6, [{second} + {line}*1]",
            "tileloadd tmm7, [{third} + {line}*1]",
            "tdpbusd tmm0, tmm4, tmm5",
            "tdpbusd tmm1, tmm4, tmm6",
            "tileloadd tmm5, [{fourth} + {line}*1]",
            "tdpbusd tmm2, tmm4, tmm7",
            "tdpbusd tmm3, tmm4, tmm5",
            "add {row}, 64",
            "add {first}, 1024",
            "add {second}, 1024",
            "add {third}, 1024",
            "add {fourth}, 1024",
            "dec {left}",
            "jnz 2b",
            "tilestored [{tile} + {width}*1], tmm0",
            "tilestored [{tile} + {width}*1 + 64], tmm1",
            "tilestored [{tile} + {width}*1 + 128], tmm2",
            "tilestored [{tile} + {width}*1 + 192], tmm3",
            row = inout(reg) row => _,
            stride = in(reg) stride * 4,
            first = inout(reg) panel => _,
            second = inout(reg) panel.add(block) => _,
            third = inout(reg) panel.add(2 * block) => _,
            fourth = inout(reg) panel.add(3 * block) => _,
            line = in(reg) LINE,
            left = inout(reg) steps / WORDS => _,
            tile = in(reg) tile.as_mut_ptr(),
            width = in(reg) size_of_val(&tile[0]),
            out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
            out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
            options(nostack),
        );
    }
}
