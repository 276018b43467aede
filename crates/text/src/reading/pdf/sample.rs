//! PDFs made by hand. For tests only.

/// A PDF of these objects, numbered from 1; the first is the catalogue.
pub(crate) fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.5\n".to_vec();
    let mut places = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n", at + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1).bytes());
    for place in &places {
        file.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let size = places.len() + 1;
    let info = objects.iter().position(|object| object.starts_with(b"<</Title"));
    let info = info.map_or_else(String::new, |at| format!("/Info {} 0 R", at + 1));
    let trailer =
        format!("trailer\n<</Size {size}/Root 1 0 R{info}>>\nstartxref\n{table}\n%%EOF\n");
    file.extend(trailer.bytes());
    file
}

/// A stream with entries of its dictionary.
pub(crate) fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut stream = format!("<<{entries}/Length {}>>\nstream\n", content.len()).into_bytes();
    stream.extend(content);
    stream.extend(b"\nendstream");
    stream
}

/// One page with these instructions and further objects from number 6 on. `resources` go beside
/// the font.
pub(crate) fn page(content: &[u8], resources: &str, more: &[Vec<u8>]) -> Vec<u8> {
    let page = format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R\
         /Resources<</Font<</F 5 0 R>>{resources}>>>>"
    );
    let mut objects = vec![
        b"<</Type/Catalog/Pages 2 0 R>>".to_vec(),
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>".to_vec(),
        page.into_bytes(),
        stream("", content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_vec(),
    ];
    objects.extend_from_slice(more);
    file(&objects)
}

/// Instructions that write a line.
pub(crate) fn line(text: &str) -> Vec<u8> {
    format!("BT /F 12 Tf 50 700 Td ({text}) Tj ET\n").into_bytes()
}
