//! Small binary USD files that decompress to huge data.

/// The part of the file that is inflated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// The text of all tokens.
    Words,
    /// The token indices of all fields.
    Fields,
    /// One array attribute of the mesh prim.
    Array,
    /// The name of the mesh, which is part of all its paths.
    Name,
    /// The children of the root: all tokens of the file except the first.
    Children,
    /// Payloads of the mesh, which repeat a long file name.
    Payloads,
    /// Variant selections of the mesh, which repeat a long token.
    Selections,
}

const WORDS: [&str; 7] = ["", "A", "primChildren", "specifier", "typeName", "Mesh", "faceVertexCounts"];

/// Returns a file with one mesh. The part holds `packed` compressed bytes of zeros, or a token of `packed` letters, and states a count of `count` elements.
/// If `count` is 0, the file is undamaged.
pub fn file(part: Part, packed: usize, count: u64) -> Vec<u8> {
    let is = |other: Part| part == other && count > 0;
    let mut bytes = b"PXR-USDC\0\x08\0\0\0\0\0\0".to_vec();
    bytes.extend([0; 8]);
    let children = bytes.len() as u64;
    let names = 1..if is(Part::Children) { WORDS.len() as u32 } else { 2 };
    bytes.extend((names.len() as u64).to_le_bytes());
    bytes.extend(names.flat_map(u32::to_le_bytes));
    let list = bytes.len() as u64;
    if is(Part::Payloads) {
        // An explicit list; each payload has a file, a prim, a time offset and a time scale.
        bytes.push(1 << 1);
        bytes.extend(count.to_le_bytes());
        let payload = [&[0, 0, 0, 0, 1, 0, 0, 0][..], &0f64.to_le_bytes(), &1f64.to_le_bytes()].concat();
        bytes.extend(payload.repeat(count as usize));
    } else if is(Part::Selections) {
        bytes.extend(count.to_le_bytes());
        bytes.extend(vec![0; 8 * count as usize]);
    }
    let array = bytes.len() as u64;
    let corners = [0; 20];
    bytes.extend((if is(Part::Array) { count } else { corners.len() as u64 }).to_le_bytes());
    bytes.extend(if is(Part::Array) { zeros(packed) } else { block(&integers(&corners)) });

    let long = "A".repeat(packed);
    let mut words = WORDS;
    match part {
        _ if count == 0 => {}
        Part::Name => words[1] = &long,
        Part::Payloads => [words[4], words[5]] = ["payload", &long],
        Part::Selections => [words[4], words[5]] = ["variantSelection", &long],
        _ => {}
    }
    let text = words.join("\0") + "\0default\0";
    let mut words = (if is(Part::Words) { [count; 2] } else { [8, text.len() as u64] }).map(u64::to_le_bytes).concat();
    words.extend(if is(Part::Words) { zeros(packed) } else { block(text.as_bytes()) });

    // Types of values: a token vector, a specifier, a token, a compressed array of integers.
    let kind = match part {
        Part::Payloads if count > 0 => 55 << 48 | list,
        Part::Selections if count > 0 => 45 << 48 | list,
        _ => 1 << 62 | 11 << 48 | 5,
    };
    let codes = [41 << 48 | children, 1 << 62 | 42 << 48, kind, 5 << 61 | 3 << 48 | array];
    let mut fields = (if is(Part::Fields) { count } else { 4 }).to_le_bytes().to_vec();
    fields.extend(if is(Part::Fields) { zeros(packed) } else { block(&integers(&[2, 3, 4, 7])) });
    fields.extend(block(&codes.map(u64::to_le_bytes).concat()));

    let table = |header: &[u64], columns: &[&[i32]]| {
        let mut table: Vec<u8> = header.iter().flat_map(|number| number.to_le_bytes()).collect();
        table.extend(columns.iter().flat_map(|column| block(&integers(column))));
        table
    };
    let sections: [(&[u8], Vec<u8>); 6] = [
        (b"TOKENS", words),
        // One string: the token with the index 5.
        (b"STRINGS", vec![1, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0]),
        (b"FIELDS", fields),
        (b"FIELDSETS", table(&[7], &[&[0, -1, 1, 2, -1, 3, -1]])),
        (b"PATHS", table(&[3, 3], &[&[0, 1, 2], &[0, 1, -6], &[-1, -1, -2]])),
        (b"SPECS", table(&[3], &[&[0, 1, 2], &[0, 2, 5], &[7, 6, 1]])),
    ];
    let mut contents = (sections.len() as u64).to_le_bytes().to_vec();
    for (name, section) in sections {
        let mut padded = name.to_vec();
        padded.resize(16, 0);
        contents.extend(padded);
        contents.extend([bytes.len() as u64, section.len() as u64].map(u64::to_le_bytes).concat());
        bytes.extend(section);
    }
    let start = (bytes.len() as u64).to_le_bytes();
    bytes[16..24].copy_from_slice(&start);
    bytes.extend(contents);
    bytes
}

/// Encodes integers as differences of four bytes each.
fn integers(values: &[i32]) -> Vec<u8> {
    let mut coded = vec![0; 4];
    coded.extend(vec![0xFF; values.len().div_ceil(4)]);
    let before = [0].iter().chain(values);
    coded.extend(values.iter().zip(before).flat_map(|(value, before)| (value - before).to_le_bytes()));
    coded
}

/// Encodes a block, preceded by its length, as one LZ4 chunk of literals.
fn block(bytes: &[u8]) -> Vec<u8> {
    let mut packed = vec![0];
    match bytes.len().checked_sub(15) {
        None => packed.push((bytes.len() as u8) << 4),
        Some(more) => {
            packed.push(0xF0);
            packed.extend(vec![0xFF; more / 255]);
            packed.push((more % 255) as u8);
        }
    }
    packed.extend(bytes);
    with_length(packed)
}

/// Returns a block of about `packed` bytes that decompresses to about 255 times as many zeros.
fn zeros(packed: usize) -> Vec<u8> {
    // A literal zero, a match at distance one, and five literal bytes at the end.
    let mut block = vec![0, 0x1F, 0, 1, 0];
    block.extend(vec![0xFF; packed]);
    block.extend([0, 0x50, 0, 0, 0, 0, 0]);
    with_length(block)
}

fn with_length(block: Vec<u8>) -> Vec<u8> {
    [&(block.len() as u64).to_le_bytes()[..], &block].concat()
}
