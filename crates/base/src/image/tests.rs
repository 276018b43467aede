use proptest::prelude::*;

use super::*;

const SECRET: &[u8] = b"59.3293 N 18.0686 E";

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u32).to_be_bytes();
    [&length[..], kind, data, &[0; 4]].concat()
}

fn png(extra: &[&[u8; 4]]) -> Vec<u8> {
    let head = [&640_u32.to_be_bytes()[..], &480_u32.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
    let extra: Vec<u8> = extra.iter().flat_map(|kind| chunk(kind, SECRET)).collect();
    let parts = [chunk(b"IHDR", &head), extra, chunk(b"IDAT", b"pixels"), END.to_vec()];
    [&b"\x89PNG\r\n\x1a\n"[..], &parts.concat()].concat()
}

/// The last chunk with its checksum.
const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";

fn segment(marker: u8, data: &[u8]) -> Vec<u8> {
    let length = (data.len() as u16 + 2).to_be_bytes();
    [&[0xff, marker][..], &length, data].concat()
}

fn jpeg(extra: &[(u8, &[u8])]) -> Vec<u8> {
    let extra: Vec<u8> = extra
        .iter()
        .flat_map(|(marker, name)| segment(*marker, &[name, SECRET].concat()))
        .collect();
    let frame = segment(0xc2, &[8, 0x01, 0xe0, 0x02, 0x80, 1, 1, 0x11, 0]);
    let scan = [segment(0xda, &[1, 1, 0, 0, 63, 0]), b"\x01\xff\x00\xff\xd0\x02".to_vec()].concat();
    let tables = segment(0xc4, &[0; 17]);
    [&[0xff, 0xd8][..], &extra, &frame, &tables, &scan, &tables, &scan, &[0xff, 0xd9]].concat()
}

fn extension(label: u8, name: &[u8], data: &[u8]) -> Vec<u8> {
    let named = if name.is_empty() { Vec::new() } else { [&[name.len() as u8], name].concat() };
    [&[0x21, label][..], &named, &[data.len() as u8], data, &[0]].concat()
}

fn gif(extra: &[u8]) -> Vec<u8> {
    let screen = [&b"GIF89a"[..], &[0x80, 2, 0xe0, 1, 0x80, 0, 0], &[7; 6]].concat();
    let picture = [&[0x2c, 0, 0, 0, 0, 0x80, 2, 0xe0, 1, 0, 2][..], &[3, 1, 2, 3, 0]].concat();
    [&screen[..], extra, &picture, &[0x3b]].concat()
}

fn riff(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let pad = vec![0; data.len() % 2];
    [&kind[..], &(data.len() as u32).to_le_bytes(), data, &pad].concat()
}

fn webp(chunks: &[Vec<u8>]) -> Vec<u8> {
    let body = [&b"WEBP"[..], &chunks.concat()].concat();
    [&b"RIFF"[..], &(body.len() as u32).to_le_bytes(), &body].concat()
}

fn vp8x(flags: u8) -> Vec<u8> {
    riff(b"VP8X", &[flags, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0])
}

fn vp8() -> Vec<u8> {
    riff(b"VP8 ", &[0, 0, 0, 0x9d, 0x01, 0x2a, 0x80, 2, 0xe0, 1, 9])
}

/// A frame of an animation.
fn animated(parts: &[Vec<u8>]) -> Vec<u8> {
    riff(b"ANMF", &[&[0; 16][..], &parts.concat()].concat())
}

#[test]
fn formats_are_told_by_their_first_bytes() {
    for (bytes, expected) in [
        (&png(&[])[..], Some(Format::Png)),
        (&jpeg(&[]), Some(Format::Jpeg)),
        (&gif(&[]), Some(Format::Gif)),
        (&webp(&[vp8()]), Some(Format::WebP)),
        (b"GIF88a......", None),
        (b"RIFF....WAVE", None),
        (b"# Otters\n", None),
        (b"", None),
    ] {
        assert_eq!(Format::of(bytes), expected, "{bytes:?}");
    }
    assert_eq!(bare(b"# Otters\n"), Err(ImageError::Unknown));
}

#[test]
fn what_is_written_beside_a_picture_is_left_out() {
    let xmp = [extension(0xff, b"XMP DataXMP", SECRET), extension(0xfe, b"", SECRET)].concat();
    let loops = extension(0xff, b"NETSCAPE2.0", &[1, 0, 0]);
    let control = extension(0xf9, b"", &[0, 10, 0, 0]);
    let all: &[&[u8; 4]] = &[b"tEXt", b"zTXt", b"iTXt", b"eXIf", b"tIME", b"prVt"];
    let long = vp8x(0x10 | TOLD_FLAGS);
    let adobe: &[u8] = b"Adobe\0\x64\0\0\0\0\x01";
    for (full, expected) in [
        (png(all), png(&[])),
        ([&png(&[])[..], SECRET].concat(), png(&[])),
        (
            jpeg(&[
                (0xe1, b"Exif\0\0"),
                (0xe1, b"http://ns.adobe.com/xap/1.0/\0"),
                (0xe2, b"MPF\0"),
                (0xed, b"Photoshop 3.0\0"),
                (0xfe, b""),
                (0xe0, b"JFXX\0"),
            ]),
            jpeg(&[]),
        ),
        ([&jpeg(&[])[..], SECRET].concat(), jpeg(&[])),
        (gif(&[&xmp[..], &loops, &control].concat()), gif(&[&loops[..], &control].concat())),
        ([&gif(&[])[..], SECRET].concat(), gif(&[])),
        // Something else within, or behind, what is kept.
        (png(&[b"gAMA", b"sRGB", b"pHYs", b"sBIT", b"bKGD", b"acTL"]), png(&[])),
        ([&png(&[])[..png(&[]).len() - 12], &chunk(b"IEND", SECRET)].concat(), png(&[])),
        (
            jpeg(&[
                (0x05, b""),
                (0xc8, b""),
                (0xde, b""),
                (0xdf, b""),
                (0xf3, b""),
                (0xee, b"Ado"),
            ]),
            jpeg(&[]),
        ),
        (
            [&jpeg(&[])[..2], &segment(0xee, &[adobe, SECRET].concat()), &jpeg(&[])[2..]].concat(),
            [&jpeg(&[])[..2], &segment(0xee, adobe), &jpeg(&[])[2..]].concat(),
        ),
        (gif(&extension(0xf9, &[0, 10, 0, 0], SECRET)), gif(&[])),
        (gif(&[&loops[..loops.len() - 1], &[19], SECRET, &[0]].concat()), gif(&[])),
        (
            webp(&[
                vp8x(2),
                riff(b"ANIM", &[&[0; 6][..], SECRET].concat()),
                animated(&[vp8(), riff(b"what", SECRET)]),
            ]),
            webp(&[vp8x(2), riff(b"ANIM", &[0; 6]), animated(&[vp8()])]),
        ),
        (webp(&[riff(b"VP8X", &[&vp8x(0)[8..], SECRET].concat()), vp8()]), webp(&[vp8x(0), vp8()])),
        (
            webp(&[
                long,
                vp8(),
                riff(b"EXIF", SECRET),
                riff(b"XMP ", SECRET),
                riff(b"what", SECRET),
            ]),
            webp(&[vp8x(0x10), vp8()]),
        ),
        ([&webp(&[vp8()])[..], SECRET].concat(), webp(&[vp8()])),
    ] {
        let found = bare(&full).unwrap();
        assert_eq!(found.size, Size { width: 640, height: 480 }, "{}", found.format);
        assert_eq!(found.bytes, expected, "{}", found.format);
        assert!(!found.bytes.windows(SECRET.len()).any(|part| part == SECRET));
        assert_eq!(bare(&found.bytes).as_ref(), Ok(&found));
    }
}

const TOLD_FLAGS: u8 = 0x0c;

#[test]
fn what_makes_a_picture_look_right_stays() {
    let colours = chunk(b"gAMA", &[0, 0, 0xb1, 0x8f]);
    let profile = png(&[b"iCCP"]);
    // Behind the signature and the head.
    let full = [&profile[..33], &colours, &profile[33..]].concat();
    assert_eq!(bare(&full).unwrap().bytes, full);
    let adobe = segment(0xee, b"Adobe\0\x64\0\0\0\0\x01");
    let full = jpeg(&[(0xe2, b"ICC_PROFILE\0")]);
    let full = [&full[..2], &adobe, &full[2..]].concat();
    assert_eq!(bare(&full).unwrap().bytes, full);
    // The small picture of a JFIF segment goes.
    let jfif = |rest: &[u8]| [&b"JFIF\0\x01\x02\x01\0\x48\0\x48"[..], rest].concat();
    let with = |jfif: &[u8]| [&[0xff, 0xd8][..], &segment(0xe0, jfif), &jpeg(&[])[2..]].concat();
    let found = bare(&with(&jfif(&[1, 1, 9, 9, 9]))).unwrap();
    assert_eq!(found.bytes, with(&jfif(&[0, 0])));
}

#[test]
fn sizes_of_all_kinds_of_webp() {
    let lossless = riff(b"VP8L", &[0x2f, 0x7f, 0xc2, 0x77, 0x00]);
    for chunks in [&[vp8()][..], &[lossless], &[vp8x(0), vp8()]] {
        let found = bare(&webp(chunks)).unwrap();
        assert_eq!(found.size, Size { width: 640, height: 480 });
    }
}

#[test]
fn what_is_cut_off_is_damaged() {
    for full in [png(&[b"tEXt"]), jpeg(&[(0xe1, b"Exif\0\0")]), gif(&[]), webp(&[vp8x(0), vp8()])] {
        let format = Format::of(&full).unwrap();
        for length in 12..full.len() {
            let found = bare(&full[..length]);
            assert_eq!(found, Err(ImageError::Damaged(format)), "{format} {length}");
        }
    }
    let empty = webp(&[riff(b"VP8X", &[0; 3])]);
    assert_eq!(bare(&empty), Err(ImageError::Damaged(Format::WebP)));
}

proptest! {
    #[test]
    fn nothing_panics_and_what_is_kept_is_bare(
        which in 0_usize..4,
        at in 0_usize..200,
        byte in any::<u8>(),
        tail in proptest::collection::vec(any::<u8>(), 0..60),
    ) {
        let mut bytes = [png(&[b"tEXt"]), jpeg(&[(0xe1, b"Exif\0\0")]), gif(&extension(0xfe, b"", SECRET)),
            webp(&[vp8x(8), vp8(), riff(b"EXIF", SECRET)])][which].clone();
        if let Some(place) = bytes.get_mut(at) {
            *place = byte;
        }
        bytes.extend(tail);
        if let Ok(found) = bare(&bytes) {
            prop_assert!(found.bytes.len() <= bytes.len());
            prop_assert_eq!(bare(&found.bytes), Ok(found.clone()));
        }
    }
}
