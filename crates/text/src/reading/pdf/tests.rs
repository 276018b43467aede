//! Good, damaged and hostile PDFs.

use std::{io::Write, time::Duration};

use flate2::{Compression, write::ZlibEncoder};

use super::{
    extract,
    sample::{file, line, page, stream},
};

const LIMIT: Duration = Duration::from_secs(20);

/// The text, or the error.
#[track_caller]
fn check(file: &[u8], expected: &str) {
    let found = match extract(file, LIMIT) {
        Ok(found) => found.text,
        Err(error) => error.to_string(),
    };
    assert_eq!(found, expected);
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
    packer.write_all(content).unwrap();
    packer.finish().unwrap()
}

const WITHOUT_TEXT: &str = "the PDF has no text layer, its pages may be images";
const NO_PAGE: &str = "the PDF is damaged: none of its pages could be read";

#[test]
fn text_is_read() {
    check(&page(&line("Owls hunt at night."), "", &[]), "Owls hunt at night.");
    let titled = page(&line("Text."), "", &[b"<</Title (Of owls)>>".to_vec()]);
    let found = extract(&titled, LIMIT).unwrap();
    assert_eq!((found.title.as_deref(), found.cut), (Some("Of owls"), false));
    // Text in a form.
    let form = stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", &line("Inside."));
    check(&page(b"/X Do", "/XObject<</X 6 0 R>>", &[form]), "Inside.");
}

#[test]
fn pages_without_text_are_told() {
    check(&page(b"0 0 m 9 9 l S", "", &[]), WITHOUT_TEXT);
    let image = stream("/Type/XObject/Subtype/Image/Width 1/Height 1", b"\x01\x02(");
    check(&page(b"q /I Do Q", "/XObject<</I 6 0 R>>", &[image]), WITHOUT_TEXT);
}

#[test]
fn encrypted_files_are_told() {
    let file = page(&line("x"), "", &[]);
    let text = String::from_utf8(file).unwrap().replace("/Root", "/Encrypt 5 0 R/Root");
    check(text.as_bytes(), "the PDF is encrypted");
}

#[test]
fn damaged_files_are_told() {
    let file = page(&line("Owls hunt at night."), "", &[]);
    for length in (0..file.len()).step_by(7) {
        if let Err(error) = extract(&file[..length], LIMIT) {
            assert!(error.to_string().starts_with("the PDF"), "{error}");
        }
    }
    for at in (9..file.len()).step_by(5) {
        let mut broken = file.clone();
        broken[at] ^= 0x15;
        let _ = extract(&broken, LIMIT);
    }
    check(&page(b"BT /F 12 Tf (a) Tj 1 2 Td 7 Tf", "", &[]), "a");
    check(&page(b"/Missing Do", "", &[]), NO_PAGE);
}

#[test]
fn what_refers_to_itself_is_left_out() {
    let own = stream("/Subtype/Form/Resources<</XObject<</X 6 0 R>>>>", b"/X Do");
    check(&page(b"/X Do", "/XObject<</X 6 0 R>>", &[own]), NO_PAGE);
    let inherits = stream("/Subtype/Form", b"/X Do");
    check(&page(b"/X Do", "/XObject<</X 6 0 R>>", &[inherits]), NO_PAGE);
    let round = file(&[
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1/Parent 2 0 R>>".to_vec(),
        b"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>".to_vec(),
        stream("", b"n"),
    ]);
    check(&round, NO_PAGE);
}

#[test]
fn what_multiplies_is_left_out() {
    let form = |next: u32| {
        let resources = format!("/Subtype/Form/Resources<</XObject<</X {next} 0 R>>>>");
        stream(&resources, &b"/X Do ".repeat(50))
    };
    let last = stream("/Subtype/Form", b"0 0 m 9 9 l S");
    let forms = [form(7), form(8), form(9), form(10), last];
    check(&page(b"/X Do", "/XObject<</X 6 0 R>>", &forms), NO_PAGE);
    check(&page(&b"q ".repeat(100_000), "", &[]), NO_PAGE);
}

#[test]
fn bombs_are_refused() {
    let zeros = packed(&vec![b' '; 40 << 20]);
    let bomb = stream("/Filter/FlateDecode", &zeros);
    let heavy = "the PDF is built to take more memory or time than is given: ";
    let file = page(b"n", "", std::slice::from_ref(&bomb));
    check(&file, NO_PAGE);
    let objects = stream("/Type/ObjStm/N 1/First 4/Filter/FlateDecode", &zeros);
    let file = page(b"n", "", &[objects]);
    check(&file, &format!("{heavy}its objects unpack to too many bytes"));
    let twice = stream("/Filter[/FlateDecode/FlateDecode]", &packed(&zeros));
    let file = page(b"n", "", &[twice]);
    check(&file, NO_PAGE);
    let wide = stream("/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 99999999999>>", b"x");
    let file = page(b"n", "", &[wide]);
    check(&file, NO_PAGE);
    // An image is never unpacked.
    let image = stream("/Subtype/Image/Filter/FlateDecode", &zeros);
    let content = [line("Beside."), b" /I Do".to_vec()].concat();
    check(&page(&content, "/XObject<</I 6 0 R>>", &[image]), "Beside.");
}

#[test]
fn tables_without_measure_are_not_followed() {
    let fonts = |table: &[u8]| {
        let font = b"<</Type/Font/Subtype/TrueType/BaseFont/A/ToUnicode 7 0 R\
            /Encoding/WinAnsiEncoding/FirstChar 0/LastChar 0/Widths[500]>>";
        page(b"BT /G 12 Tf (a) Tj ET", "/Font<</G 6 0 R>>", &[font.to_vec(), stream("", table)])
    };
    for table in [
        b"1 beginbfrange <00000000> <ffffffff> <0000> endbfrange".to_vec(),
        [&b"1 beginbfrange "[..], &b"[".repeat(100_000)].concat(),
    ] {
        let _ = extract(&fonts(&table), LIMIT);
    }
}
