//! A model's folder -> a packed file.
//!
//! Owns which tensor goes where and how weights are rounded and laid out. It reads through
//! `folder` and `safetensors`, which check what comes from outside, and writes through `format`.

use std::path::Path;

use super::{
    error::ModelError,
    folder::{self, Description},
    format::{self, Int8Plan, LinearPlan, NormPlan, Plan, Weights},
    kernels::BLOCK,
    safetensors::Tensors,
    shape::{Precision, Shape},
    vocabulary,
};

/// Weights reach from minus this to this.
const LARGEST: f32 = 127.0;

/// Packs the model in `folder`: `model.safetensors`, `config.json`, `tokenizer.json` (or
/// `vocab.txt` and `tokenizer_config.json`), and sentence-transformers' `modules.json`,
/// `1_Pooling/config.json` and `sentence_bert_config.json` where they exist. The same folder gives
/// the same bytes on every machine.
///
/// # Errors
/// When a file is missing, damaged, or asks for something that this encoder does not do.
pub fn pack(folder: &Path, precision: Precision) -> Result<Vec<u8>, ModelError> {
    let Description { mut shape, words, positions, types } = folder::describe(folder, precision)?;
    let source = Source::open(&folder.join("model.safetensors"))?;
    // A table of words may hold a few rows more than there are words.
    shape.pieces = shape.pieces.max(words.pieces.len());
    let plan = Plan::new(&shape);
    let mut file = vec![0; plan.bytes];

    let mut spellings: Vec<&str> = words.pieces.iter().map(String::as_str).collect();
    spellings.resize(shape.pieces, "");
    let (ends, bytes, slots) = vocabulary::build(&spellings);
    plan.ends.put(&mut file, &ends);
    plan.spellings.put(&mut file, &bytes);
    plan.slots.put(&mut file, &slots);
    plan.specials.put(&mut file, &format::write_specials(&words.specials));

    pack_embeddings(&source, &shape, &plan, positions, types, &mut file)?;
    for (index, layer) in plan.layers.iter().enumerate() {
        let name = |part: &str| format!("encoder.layer.{index}.{part}");
        let attention =
            ["query", "key", "value"].map(|part| name(&format!("attention.self.{part}")));
        let (hidden, inner) = (shape.hidden, shape.inner);
        source.linear(&attention, hidden, &layer.projection, &mut file)?;
        source.linear(&[name("attention.output.dense")], hidden, &layer.output, &mut file)?;
        source.norm(
            &name("attention.output.LayerNorm"),
            hidden,
            &layer.attention_norm,
            &mut file,
        )?;
        source.linear(&[name("intermediate.dense")], hidden, &layer.up, &mut file)?;
        source.linear(&[name("output.dense")], inner, &layer.down, &mut file)?;
        source.norm(&name("output.LayerNorm"), hidden, &layer.norm, &mut file)?;
    }
    format::write_header(&mut file, &shape);
    Ok(file)
}

fn pack_embeddings(
    source: &Source,
    shape: &Shape,
    plan: &Plan,
    positions: usize,
    types: usize,
    file: &mut [u8],
) -> Result<(), ModelError> {
    let hidden = shape.hidden;
    let words = source.floats("embeddings.word_embeddings.weight", &[shape.pieces, hidden])?;
    match &plan.words {
        Weights::F32(span) => span.put(file, &words),
        Weights::Int8((rows, steps)) => {
            let rounded: Vec<_> = words.chunks_exact(hidden).map(round).collect();
            let bytes: Vec<i8> = rounded.iter().flat_map(|(bytes, _)| bytes).copied().collect();
            rows.put(file, &bytes);
            steps.put(file, &rounded.iter().map(|(_, step)| *step).collect::<Vec<_>>());
        }
    }
    let mut table = source.floats("embeddings.position_embeddings.weight", &[positions, hidden])?;
    // A sentence is of one type, the first.
    let kind = source.floats("embeddings.token_type_embeddings.weight", &[types, hidden])?;
    for row in table.chunks_exact_mut(hidden) {
        row.iter_mut().zip(&kind).for_each(|(position, kind)| *position += *kind);
    }
    plan.positions.put(file, &table);
    source.norm("embeddings.LayerNorm", hidden, &plan.norm, file)
}

/// The tensors, whatever their names begin with.
struct Source {
    tensors: Tensors,
    prefix: &'static str,
}

impl Source {
    fn open(path: &Path) -> Result<Self, ModelError> {
        let tensors = Tensors::open(path)?;
        let word = "embeddings.word_embeddings.weight";
        let prefix = ["", "bert.", "model."]
            .into_iter()
            .find(|prefix| tensors.has(&format!("{prefix}{word}")))
            .unwrap_or("");
        Ok(Self { tensors, prefix })
    }

    fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        self.tensors.floats(&format!("{}{name}", self.prefix), shape)
    }

    fn norm(
        &self,
        name: &str,
        hidden: usize,
        plan: &NormPlan,
        file: &mut [u8],
    ) -> Result<(), ModelError> {
        // Models converted from TensorFlow call them gamma and beta.
        let old = self.tensors.has(&format!("{}{name}.gamma", self.prefix));
        let [gain, bias] = if old { ["gamma", "beta"] } else { ["weight", "bias"] };
        let gain = self.floats(&format!("{name}.{gain}"), &[hidden])?;
        let bias = self.floats(&format!("{name}.{bias}"), &[hidden])?;
        plan.gain.put(file, &gain);
        plan.bias.put(file, &bias);
        Ok(())
    }

    /// One linear layer out of one or more that read the same input.
    fn linear(
        &self,
        names: &[String],
        inputs: usize,
        plan: &LinearPlan,
        file: &mut [u8],
    ) -> Result<(), ModelError> {
        let outputs = plan.outputs / names.len();
        let (mut weights, mut bias) = (Vec::new(), Vec::new());
        for name in names {
            weights.extend(self.floats(&format!("{name}.weight"), &[outputs, inputs])?);
            bias.extend(self.floats(&format!("{name}.bias"), &[outputs])?);
        }
        plan.bias.put(file, &bias);
        // Weight `input` of output `output` goes to this word.
        let place = |output: usize, word: usize| {
            (output / BLOCK * plan.words + word) * BLOCK + output % BLOCK
        };
        match &plan.weights {
            Weights::F32(span) => {
                let mut panels = vec![0.0; span.count()];
                for (output, row) in weights.chunks_exact(inputs).enumerate() {
                    for (input, weight) in row.iter().enumerate() {
                        panels[place(output, input)] = *weight;
                    }
                }
                span.put(file, &panels);
            }
            Weights::Int8(Int8Plan { panels: span, steps, totals, .. }) => {
                let mut panels = vec![[0i8; 4]; span.count()];
                let (mut all_steps, mut all_totals) = (Vec::new(), Vec::new());
                for (output, row) in weights.chunks_exact(inputs).enumerate() {
                    let (bytes, step) = round(row);
                    for (input, byte) in bytes.iter().enumerate() {
                        panels[place(output, input / 4)][input % 4] = *byte;
                    }
                    all_steps.push(step);
                    all_totals.push(bytes.iter().map(|byte| i32::from(*byte)).sum::<i32>() as f32);
                }
                span.put(file, &panels);
                steps.put(file, &all_steps);
                totals.put(file, &all_totals);
            }
        }
        Ok(())
    }
}

/// A row in eight bits, and what a step is worth.
fn round(row: &[f32]) -> (Vec<i8>, f32) {
    let most = row.iter().fold(0.0f32, |most, weight| most.max(weight.abs()));
    let step = most / LARGEST;
    let inverse = if most > 0.0 { LARGEST / most } else { 0.0 };
    let round = |weight: &f32| (weight * inverse).round().clamp(-LARGEST, LARGEST) as i8;
    (row.iter().map(round).collect(), step)
}
