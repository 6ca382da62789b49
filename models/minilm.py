"""The published weights of all-MiniLM-L6-v2: reading them, and running them in plain numpy."""

import hashlib
import json
import math
import struct

import numpy as np

WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCAB_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"

LAYERS = 6
HEADS = 12
WIDTH = 384
HEAD_WIDTH = WIDTH // HEADS
MAX_TOKENS = 256
NORM_EPSILON = 1e-12


def read_verified(path, sha256):
    """The bytes of a file, once they are known to be the right ones."""
    content = path.read_bytes()
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise SystemExit(f"{path}: sha256 is {found}, expected {sha256}")
    return content


def read_weights(path):
    """Tensors by name. A safetensors file is a little-endian u64 header length, a JSON header, raw data."""
    content = read_verified(path, WEIGHTS_SHA256)
    (header_length,) = struct.unpack_from("<Q", content)
    data_start = 8 + header_length
    tensors = {}
    for name, entry in json.loads(content[8:data_start]).items():
        if entry.get("dtype") == "F32":
            start, end = (data_start + offset for offset in entry["data_offsets"])
            tensors[name] = np.frombuffer(content[start:end], "<f4").reshape(entry["shape"])
    return tensors


def in_f64(weights):
    return {name: tensor.astype(np.float64) for name, tensor in weights.items()}


def embed(weights, token_ids, observe=lambda name, x: None):
    """The unit vector of one text: what the graph is measured against.

    Computes in the type of the weights; `observe` sees the input of every linear layer.
    """

    def linear(x, name):
        observe(name, x)
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def layer_norm(x, name):
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = (centred**2).mean(axis=-1, keepdims=True)
        return centred / np.sqrt(variance + NORM_EPSILON) * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def heads(x):
        return x.reshape(len(x), HEADS, HEAD_WIDTH).transpose(1, 0, 2)

    def softmax(x):
        powers = np.exp(x - x.max(axis=-1, keepdims=True))
        return powers / powers.sum(axis=-1, keepdims=True)

    x = (
        weights["embeddings.word_embeddings.weight"][token_ids]
        + weights["embeddings.position_embeddings.weight"][: len(token_ids)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    x = layer_norm(x, "embeddings.LayerNorm")
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        query, key, value = (heads(linear(x, f"{prefix}.attention.self.{part}")) for part in ("query", "key", "value"))
        attention = softmax(query @ key.transpose(0, 2, 1) / math.sqrt(HEAD_WIDTH))
        mixed = (attention @ value).transpose(1, 0, 2).reshape(x.shape)
        x = layer_norm(x + linear(mixed, f"{prefix}.attention.output.dense"), f"{prefix}.attention.output.LayerNorm")
        inner = linear(x, f"{prefix}.intermediate.dense")
        inner = 0.5 * inner * (1.0 + np.vectorize(math.erf)(inner / math.sqrt(2.0)))
        x = layer_norm(x + linear(inner, f"{prefix}.output.dense"), f"{prefix}.output.LayerNorm")
    pooled = x.mean(axis=0)
    return pooled / np.linalg.norm(pooled)
