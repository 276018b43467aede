#!/usr/bin/env python3
"""Writes a tiny language model that nobody trained, for servers that load GGUF files.

    make_model.py OUT.gguf

The file has the `llama` architecture, 2 layers of 64 dimensions and a vocabulary of
some 400 tokens: every byte, every printable ASCII character and a few dozen words, so
that any text can be tokenized. Its weights are random (seeded: the same file every
time), with one addition. Each token belongs to a class, and the output layer prefers
some classes after others: words come in a fixed order of kinds and then end, a string
that was opened is closed, a bracket that was opened is closed. What it says stays
nonsense, but it always comes to an end, under a JSON grammar too, at any temperature.
"""

import sys

import gguf
import numpy as np

EMBD, HEADS, LAYERS, FF, CONTEXT = 64, 4, 2, 128, 16384

KINDS = [
    "the this every one another some".split(),
    "quiet amber hollow brisk narrow second".split(),
    "river engine ledger garden signal window".split(),
    "carries opens follows repeats crosses keeps".split(),
    "a that each no our its".split(),
    "stone letter morning harbour copper answer".split(),
]
MARKS = {'"': "quote", ":": "colon", ",": "comma", "{": "open", "}": "close",
         "[": "first", "]": "last"}
CLASSES = ["start", "text", "digit", *MARKS.values(), *(f"word{i}" for i in range(len(KINDS)))]

# What follows what: the higher the sum of the two, the likelier. Among tokens which a
# grammar forbids the best of the rest is taken.
AFTER = {
    "start": {"word0": 10},
    "text": {"quote": 10, "word0": 8},
    "digit": {"comma": 4, "close": 5, "last": 5, "end": 4},
    "quote": {"word0": 12, "colon": 4, "close": 4, "last": 4, "comma": 1},
    "colon": {"quote": 10, "digit": 8, "first": 6, "open": 5},
    "comma": {"quote": 10, "digit": 8, "open": 5},
    "open": {"quote": 10, "close": 6},
    "close": {"end": 10, "quote": 8, "close": 6, "last": 6, "comma": 3},
    "first": {"quote": 10, "digit": 8, "open": 9, "last": 4},
    "last": {"end": 9, "quote": 8, "close": 6, "last": 5, "comma": 3},
    **{f"word{i}": {f"word{i + 1}": 10} for i in range(len(KINDS) - 1)},
    f"word{len(KINDS) - 1}": {"end": 10, "quote": 8, "start": 2},
}


def vocabulary():
    """Token, score, type and class of each."""
    kind = gguf.TokenType
    rows = [("<unk>", 0.0, kind.UNKNOWN, None), ("<s>", 0.0, kind.CONTROL, "start"),
            ("</s>", 0.0, kind.CONTROL, "end")]
    rows += [(f"<0x{b:02X}>", 0.0, kind.BYTE, "start" if b == 10 else "byte") for b in range(256)]
    for code in range(33, 127):
        c = chr(code)
        of = MARKS.get(c) or ("digit" if c.isdigit() else "text")
        rows.append((c, -1000.0, kind.NORMAL, of))
    rows.append(("\u2581", -1000.0, kind.NORMAL, "space"))
    for i, words in enumerate(KINDS):
        # A word that begins a text has no space before it.
        rows += [((w if i == 0 else "\u2581" + w), -10.0, kind.NORMAL, f"word{i}") for w in words]
    return rows


def weights(rng, rows):
    known = {name: i for i, name in enumerate(CLASSES)}
    noise = lambda *shape: rng.normal(0, 0.3, shape)
    embedding, output = noise(len(rows), EMBD), noise(len(rows), EMBD) * 0.6
    embedding[:, : len(CLASSES)] = 0
    output[:, : len(CLASSES)] = 0
    # A row of the embedding is of this length, and normalized it grows by this factor.
    hot = 4.0
    grown = hot / np.sqrt((hot**2 + (EMBD - len(CLASSES)) * 0.3**2) / EMBD)
    for token, (_, _, _, of) in enumerate(rows):
        # Bytes, spaces and marks which nothing asks for stay out of the way.
        embedding[token, known.get(of, known["text"])] = hot
        for before, wanted in AFTER.items():
            rare = -6 if of in ("byte", "space", None, "end") else 0
            output[token, known[before]] = (wanted.get(of, rare)) / grown
    yield "token_embd.weight", embedding
    yield "output.weight", output
    yield "output_norm.weight", np.ones(EMBD)
    for i in range(LAYERS):
        yield f"blk.{i}.attn_norm.weight", np.ones(EMBD)
        yield f"blk.{i}.ffn_norm.weight", np.ones(EMBD)
        for name in ("q", "k", "v", "output"):
            yield f"blk.{i}.attn_{name}.weight", noise(EMBD, EMBD) * 0.15
        for name, shape in (("gate", (FF, EMBD)), ("up", (FF, EMBD)), ("down", (EMBD, FF))):
            yield f"blk.{i}.ffn_{name}.weight", noise(*shape) * 0.15


TEMPLATE = (
    "{% for m in messages %}{{ m['role'] }}: {{ m['content'] or '' }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:\n{% endif %}"
)


def main(path):
    rows = vocabulary()
    out = gguf.GGUFWriter(path, "llama")
    out.add_name("tiny")
    out.add_context_length(CONTEXT)
    out.add_embedding_length(EMBD)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(FF)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_rope_dimension_count(EMBD // HEADS)
    out.add_vocab_size(len(rows))
    out.add_pooling_type(gguf.PoolingType.MEAN)
    out.add_file_type(gguf.LlamaFileType.ALL_F32)
    out.add_tokenizer_model("llama")
    out.add_token_list([r[0] for r in rows])
    out.add_token_scores([r[1] for r in rows])
    out.add_token_types([r[2] for r in rows])
    out.add_unk_token_id(0)
    out.add_bos_token_id(1)
    out.add_eos_token_id(2)
    out.add_add_bos_token(True)
    out.add_add_space_prefix(False)
    out.add_chat_template(TEMPLATE)
    for name, values in weights(np.random.default_rng(7), rows):
        out.add_tensor(name, values.astype(np.float32))
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
