"""Builds all-minilm-l6-v2.onnx: a graph of our own around the published weights, stored as int8.

    python build_model.py WEIGHTS_DIRECTORY

WEIGHTS_DIRECTORY holds the published model.safetensors and vocab.txt (README.md says where from).
The same inputs give the same bytes.
"""

import hashlib
import math
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

import minilm

MODEL_ID = "all-minilm-l6-v2/int8-1"
OUTPUT = Path(__file__).parent / "all-minilm-l6-v2.onnx"
OPSET = 17
IR_VERSION = 8
# Input channels of each matrix that stay f32: those with the largest activations, see `loudest_channels`.
EXACT_CHANNELS = 8
CLS, SEP, FIRST_WORD = 101, 102, 999


def quantise(matrix, axis):
    """Symmetric int8: one scale for each index of `axis`, so that the largest magnitude there becomes 127."""
    other = tuple(i for i in range(matrix.ndim) if i != axis)
    scale = np.abs(matrix).max(axis=other, keepdims=True).astype(np.float32) / np.float32(127)
    # A row of zeros has no magnitude to scale; any positive scale stores it exactly.
    scale[scale == 0] = 1
    return np.rint(matrix / scale).astype(np.int8), scale


def loudest_channels(weights):
    """For each linear layer, the input channels that see the largest activations.

    A few channels of this model reach magnitudes a hundred times the median, mostly at punctuation. What
    rounding does to their weights outweighs all other rounding together, so these few weights are not rounded:
    the decomposition of LLM.int8() (Dettmers et al., 2022, arXiv:2208.07339), here for weights alone.
    The activations are those of short runs of the model's own vocabulary, frequent words and rare ones.
    """
    largest = {}

    def observe(name, x):
        largest[name] = np.maximum(largest.get(name, 0), np.abs(x).max(axis=0))

    weights = minilm.in_f64(weights)
    vocabulary_size = len(weights["embeddings.word_embeddings.weight"])
    starts = [FIRST_WORD + 7 * i for i in range(100)] + list(range(FIRST_WORD + 700, vocabulary_size - 8, 290))
    for i, start in enumerate(starts):
        words = range(start, start + 1 + i % 8)
        minilm.embed(weights, [CLS, *words, SEP], observe)
    return {name: np.sort(np.argsort(-peak, kind="stable")[:EXACT_CHANNELS]) for name, peak in largest.items()}


class Graph:
    """Nodes and initializers in the order they were added."""

    def __init__(self):
        self.nodes = []
        self.initializers = []

    def constant(self, name, value):
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, op, name, *inputs, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=name, **attributes))
        return name

    def linear(self, name, x, weight, bias, exact):
        """x · weightᵀ + bias: int8 with one scale per output channel, but for the `exact` input channels."""
        rows = weight.T
        rounded = np.setdiff1d(np.arange(len(rows)), exact)
        values, scale = quantise(rows[rounded], axis=1)
        dequantised = self.node(
            "DequantizeLinear",
            f"{name}.weight.rounded",
            self.constant(f"{name}.weight.int8", values),
            self.constant(f"{name}.weight.scale", scale.reshape(-1)),
            axis=1,
        )
        kept = self.constant(f"{name}.weight.exact", rows[exact])
        order = self.constant(f"{name}.weight.order", np.argsort(np.concatenate([exact, rounded])))
        # All of this is constant: a runtime folds it into one f32 matrix when it loads the model.
        matrix = self.node("Concat", f"{name}.weight.rows", kept, dequantised, axis=0)
        matrix = self.node("Gather", f"{name}.weight", matrix, order, axis=0)
        product = self.node("MatMul", f"{name}.product", x, matrix)
        return self.node("Add", name, product, self.constant(f"{name}.bias", bias))

    def layer_norm(self, name, x, weight, bias):
        return self.node(
            "LayerNormalization",
            name,
            x,
            self.constant(f"{name}.weight", weight),
            self.constant(f"{name}.bias", bias),
            axis=-1,
            epsilon=minilm.NORM_EPSILON,
        )

    def gelu(self, name, x):
        """x/2 · (1 + erf(x/√2)), the exact form the model was trained with."""
        scaled = self.node("Mul", f"{name}.scaled", x, "inverse_sqrt_2")
        erf = self.node("Erf", f"{name}.erf", scaled)
        gate = self.node("Add", f"{name}.gate", erf, "one")
        half = self.node("Mul", f"{name}.half", x, "half")
        return self.node("Mul", name, half, gate)


def embeddings(graph, weights):
    """Token plus position. Rows are looked up as int8 and scaled after, so the table never grows to f32."""
    rows, scales = quantise(weights["embeddings.word_embeddings.weight"], axis=0)
    table = graph.constant("tokens.int8", rows)
    row = graph.node("Gather", "tokens.row", table, "token_ids", axis=0)
    row = graph.node("Cast", "tokens.row.f32", row, to=TensorProto.FLOAT)
    scale = graph.node("Gather", "tokens.row.scale", graph.constant("tokens.scale", scales), "token_ids", axis=0)
    tokens = graph.node("Mul", "tokens", row, scale)

    # Every text is one segment: its type row is the same everywhere and folds into the positions.
    positions = weights["embeddings.position_embeddings.weight"][: minilm.MAX_TOKENS]
    positions = positions + weights["embeddings.token_type_embeddings.weight"][0]
    table = graph.constant("positions.table", positions)
    shape = graph.node("Shape", "shape", "token_ids")
    length = graph.node("Slice", "length", shape, "int_1", "int_2", "int_0")
    positions = graph.node("Slice", "positions", table, "int_0", length, "int_0")

    x = graph.node("Add", "embeddings.sum", tokens, positions)
    return graph.layer_norm(
        "embeddings",
        x,
        weights["embeddings.LayerNorm.weight"],
        weights["embeddings.LayerNorm.bias"],
    )


def encoder_layer(graph, weights, exact, layer, x):
    def linear(name, x, part, scale=np.float32(1)):
        source = f"encoder.layer.{layer}.{part}"
        weight, bias = weights[f"{source}.weight"] * scale, weights[f"{source}.bias"] * scale
        return graph.linear(f"layer{layer}.{name}", x, weight, bias, exact[source])

    def layer_norm(name, x, part):
        source = f"encoder.layer.{layer}.{part}.LayerNorm"
        return graph.layer_norm(f"layer{layer}.{name}", x, weights[f"{source}.weight"], weights[f"{source}.bias"])

    def node(op, name, *inputs, **attributes):
        return graph.node(op, f"layer{layer}.{name}", *inputs, **attributes)

    def heads(name, axes, scale=np.float32(1)):
        flat = linear(name, x, f"attention.self.{name}", scale)
        split = node("Reshape", f"{name}.split", flat, "split_heads")
        return node("Transpose", f"{name}.heads", split, perm=axes)

    # The scale of the attention scores is in the query already.
    query = heads("query", [0, 2, 1, 3], np.float32(1 / math.sqrt(minilm.HEAD_WIDTH)))
    key = heads("key", [0, 2, 3, 1])
    value = heads("value", [0, 2, 1, 3])
    attention = node("Softmax", "attention", node("MatMul", "scores", query, key), axis=-1)
    mixed = node("MatMul", "mixed", attention, value)
    mixed = node("Transpose", "mixed.rows", mixed, perm=[0, 2, 1, 3])
    mixed = node("Reshape", "mixed.flat", mixed, "join_heads")
    attended = linear("attended", mixed, "attention.output.dense")
    x = layer_norm("attended.norm", node("Add", "attended.sum", attended, x), "attention.output")
    inner = graph.gelu(f"layer{layer}.gelu", linear("inner", x, "intermediate.dense"))
    outer = linear("outer", inner, "output.dense")
    return layer_norm("norm", node("Add", "sum", outer, x), "output")


def pooled(graph, x):
    """The mean over all tokens, scaled to length 1. One text has no padding, so nothing needs a mask."""
    mean = graph.node("ReduceMean", "mean", x, axes=[1], keepdims=0)
    squares = graph.node("Mul", "squares", mean, mean)
    norm = graph.node("Sqrt", "norm", graph.node("ReduceSum", "norm.squared", squares, "int_1", keepdims=1))
    return graph.node("Div", "embedding", mean, norm)


def build(weights, vocabulary):
    graph = Graph()
    for name, value in (("inverse_sqrt_2", math.sqrt(0.5)), ("half", 0.5), ("one", 1.0)):
        graph.constant(name, np.float32(value))
    for value in (0, 1, 2):
        graph.constant(f"int_{value}", np.array([value], np.int64))
    graph.constant("split_heads", np.array([1, -1, minilm.HEADS, minilm.HEAD_WIDTH], np.int64))
    graph.constant("join_heads", np.array([1, -1, minilm.WIDTH], np.int64))

    exact = loudest_channels(weights)
    x = embeddings(graph, weights)
    for layer in range(minilm.LAYERS):
        x = encoder_layer(graph, weights, exact, layer, x)
    output = pooled(graph, x)

    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "all-minilm-l6-v2",
            [helper.make_tensor_value_info("token_ids", TensorProto.INT64, [1, "n"])],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, minilm.WIDTH])],
            graph.initializers,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="adroit",
    )
    helper.set_model_props(model, {"model_id": MODEL_ID, "vocabulary": vocabulary})
    onnx.checker.check_model(model, full_check=True)
    return model.SerializeToString(deterministic=True)


def main():
    directory = Path(sys.argv[1])
    weights = minilm.read_weights(directory / "model.safetensors")
    vocabulary = minilm.read_verified(directory / "vocab.txt", minilm.VOCAB_SHA256).decode()
    content = build(weights, vocabulary)
    OUTPUT.write_bytes(content)
    print(f"{OUTPUT.name}: {len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()}")


if __name__ == "__main__":
    main()
