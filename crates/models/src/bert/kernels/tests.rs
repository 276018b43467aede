//! Every instruction set of this machine against plain code, bit by bit.

use proptest::prelude::*;

use super::*;

/// All products of a few rows with all panels, computed one by one.
fn product_one_by_one<W: Word>(
    words: &[W],
    rows: usize,
    panels: &[W::Weight],
    steps: usize,
) -> Vec<Vec<W::Sum>> {
    let columns = panels.len() / steps;
    let one = |row: usize, column: usize| {
        (0..steps).fold(W::Sum::default(), |sum, step| {
            let at = (column / BLOCK * steps + step) * BLOCK + column % BLOCK;
            W::step(sum, words[row * steps + step], panels[at])
        })
    };
    (0..rows).map(|row| (0..columns).map(|column| one(row, column)).collect()).collect()
}

fn check<W: Word>(words: &[W], rows: usize, panels: &[W::Weight], steps: usize)
where
    W::Sum: PartialEq + std::fmt::Debug,
{
    let expected = product_one_by_one(words, rows, panels, steps);
    for isa in Isa::supported() {
        let mut found = vec![vec![W::Sum::default(); panels.len() / steps]; rows];
        product(isa, (words, steps, rows), (panels, steps), |row, rows, block, blocks, tile| {
            for at in 0..rows {
                found[row + at][block * BLOCK..][..blocks * BLOCK]
                    .copy_from_slice(&tile[at][..blocks * BLOCK]);
            }
        });
        assert!(found == expected, "{isa:?}, {rows} rows, {steps} steps");
    }
}

/// Pseudo-random bytes: proptest would take longer to make that many than the test to use them.
fn bytes(seed: u64, count: usize) -> impl Iterator<Item = u8> {
    let mut state = seed | 1;
    (0..count).map(move |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // The extremes more often than chance would have them.
        match state >> 60 {
            0 => 0,
            1 => 255,
            2 => 128,
            3 => 127,
            _ => (state >> 20) as u8,
        }
    })
}

fn groups<const N: usize>(seed: u64, count: usize) -> Vec<[u8; N]> {
    let bytes: Vec<u8> = bytes(seed, count * N).collect();
    bytes.as_chunks::<N>().0.to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn products_are_the_same_on_all_instruction_sets(
        rows in 0usize..40,
        blocks in 1usize..7,
        // Tiles of sixteen words, and what is none.
        steps in prop_oneof![1usize..40, (1usize..4).prop_map(|tiles| tiles * 16)],
        seed: u64
    ) {
        let (words, weights) = (rows * steps, blocks * BLOCK * steps);
        let panels: Vec<[i8; 4]> =
            groups::<4>(!seed, weights).into_iter().map(|word| word.map(u8::cast_signed)).collect();
        check::<[u8; 4]>(&groups(seed, words), rows, &panels, steps);

        // Kept within what their callers promise: the sum of a row's products fits 32 bits.
        let pair = |[a, b, c, d]: [u8; 4]| {
            [i16::from_le_bytes([a, b]) / 8, i16::from_le_bytes([c, d]) / 8]
        };
        let pairs = |seed, count| groups::<4>(seed, count).into_iter().map(pair).collect();
        let (left, right): (Vec<[i16; 2]>, Vec<[i16; 2]>) =
            (pairs(seed, words), pairs(!seed, weights));
        check::<[i16; 2]>(&left, rows, &right, steps);

        let float = |[a, b]: [u8; 2]| f32::from(i16::from_le_bytes([a, b])) * 1.234_567e-3;
        let floats = |seed, count| groups::<2>(seed, count).into_iter().map(float).collect();
        let (left, right): (Vec<f32>, Vec<f32>) = (floats(seed, words), floats(!seed, weights));
        check::<f32>(&left, rows, &right, steps);
    }

    #[test]
    fn passes_are_the_same_on_all_instruction_sets(
        values in proptest::collection::vec(-30.0f32..30.0, 1..200)
    ) {
        let width = values.len();
        let gain: Vec<f32> = values.iter().rev().map(|x| x * 0.1 + 1.0).collect();
        let results: Vec<_> = Isa::supported()
            .map(|isa| {
                let mut bits = Vec::new();
                let mut keep = |values: &[f32]| bits.extend(values.iter().map(|x| x.to_bits()));
                for activation in [Activation::Gelu, Activation::GeluTanh, Activation::Relu] {
                    let mut x = values.clone();
                    activate(isa, &mut x, activation);
                    keep(&x);
                }
                let mut x = values.clone();
                norm(isa, &mut x, &gain, &values, 1e-12);
                add_and_norm(isa, &mut x, &gain, &gain, &values, 1e-12);
                keep(&x);
                let stride = width.div_ceil(4);
                let mut words = vec![[0u8; 4]; stride];
                let mut scale = [Scale::default()];
                quantise(isa, &values, width, &mut words, stride, &mut scale);
                let sums: Vec<i32> =
                    words.as_flattened()[..width].iter().map(|byte| i32::from(*byte) * 99).collect();
                let mut out = vec![0.0; width];
                scale_row(isa, &mut out, &sums, scale[0], &gain, &values, &gain);
                keep(&out);
                let mut twice = vec![[0u8; 4]; 2 * stride];
                quantise_finely(isa, &values, width, &mut twice, stride, &mut scale);
                scale_fine_row(isa, &mut out, &sums, &sums, scale[0], &gain, &values, &gain);
                keep(&out);
                let mut most = vec![0.0; width.div_ceil(3)];
                largest(isa, &values, &mut most);
                keep(&most);
                let mut small = vec![0i16; width];
                to_i16(isa, &values, 100.0, 3000.0, &mut small);
                let mut weights = vec![0i16; width];
                let sum = softmax(isa, &sums, 1e-4, &mut weights, &mut out);
                let mut pairs = vec![[0i16; 2]; width];
                interleave(isa, &mut pairs, &small, &weights);
                (bits, words, twice, pairs, sum)
            })
            .collect();
        for result in &results[1..] {
            prop_assert!(*result == results[0]);
        }
    }
}
