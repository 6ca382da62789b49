"""Builds reference/vectors.i16: the published f32 model's vectors of the texts in reference/texts.json.

    python build_reference.py WEIGHTS_DIRECTORY

WEIGHTS_DIRECTORY holds the published model.safetensors and tokenizer.json. Each component is stored as a
little-endian i16 of value · 32767, which keeps the cosine to within 1e-7.
"""

import json
import sys
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

import minilm

REFERENCE = Path(__file__).parent / "reference"


def main():
    directory = Path(sys.argv[1])
    weights = minilm.in_f64(minilm.read_weights(directory / "model.safetensors"))
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(minilm.MAX_TOKENS)
    texts = json.loads((REFERENCE / "texts.json").read_text())
    vectors = np.stack([minilm.embed(weights, tokenizer.encode(text).ids) for text in texts])
    (REFERENCE / "vectors.i16").write_bytes(np.rint(vectors * 32767).astype("<i2").tobytes())
    print(f"{len(texts)} texts")


if __name__ == "__main__":
    main()
