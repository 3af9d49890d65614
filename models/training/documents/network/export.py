"""Writes a relation network as ONNX with f16 weights: `export.py CHECKPOINT FILE`, of an untrained one where CHECKPOINT is `untrained`; needs the package onnx. README.md describes its inputs and outputs.

`--fixture FILE TENSORS PAGE...` writes what PyTorch makes of those pages of a file of tensors.ts, for the test that holds the program against it.
"""

import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(HERE)), "shared"))

import numpy
import onnx
import torch
from onnx import TensorProto, helper

import corpus
import relations
import score
from onnx_graph import Graph
from relations import CHARACTERS, FEATURES, GEOMETRY, NEIGHBOURS, RELATIONS, TEXT, VECTOR

OPSET = 17


class RelationGraph(Graph):
    def number(self, value):
        return self.constant(numpy.array(value, numpy.float32))

    def integers(self, *values):
        return self.constant(numpy.array(values, numpy.int64))

    def linear(self, x, layer):
        """x (..., columns) -> (..., rows)."""
        made = self.add("MatMul", [x, self.weight(layer.weight.T.contiguous())])
        return made if layer.bias is None else self.add("Add", [made, self.constant(layer.bias.detach().numpy())])

    def norm(self, x, layer):
        return self.add("LayerNormalization", [x, self.constant(layer.weight.detach().numpy()), self.constant(layer.bias.detach().numpy())], axis=-1, epsilon=layer.eps)

    def columns(self, x, start, end):
        """Those of the last axis."""
        return self.add("Slice", [x, self.integers(start), self.integers(end), self.integers(-1)])

    def shaped(self, x, *sizes):
        return self.add("Reshape", [x, self.integers(*sizes)])

    def axis(self, x, axis):
        return self.add("Unsqueeze", [x, self.integers(axis)])

    def total(self, x, axis, keep=0):
        return self.add("ReduceSum", [x, self.integers(axis)], keepdims=keep)

    def chain(self, x, *steps):
        """Each step is an operator and its second input."""
        for kind, other in steps:
            x = self.add(kind, [x, other])
        return x

    def neighbours_of(self, x, width):
        """x (n, width) -> (n, NEIGHBOURS, width), zeros where there is none."""
        return self.add("Gather", [self.add("Concat", [x, self.constant(numpy.zeros((1, width), numpy.float32))], axis=0), "neighbours"], axis=0)


class EdgeFeatures:
    """relations.edge_features as nodes of the graph."""

    def __init__(self, graph):
        self.graph = graph

    def op(self, kind, *inputs):
        return self.graph.add(kind, [self.graph.number(value) if isinstance(value, float) else value for value in inputs])

    def squash(self, length):
        return self.op("Div", length, self.op("Add", self.op("Abs", length), 4.0))

    def zero(self, length, scale):
        return self.op("Relu", self.op("Sub", 1.0, self.op("Div", self.op("Abs", length), 2 * scale)))

    def is_true(self, condition):
        return self.graph.add("Cast", [condition], to=TensorProto.FLOAT)

    def overlap(self, start, end, its_start, its_end):
        least = self.op("Min", self.op("Max", self.op("Sub", end, start), 0.3), self.op("Max", self.op("Sub", its_end, its_start), 0.3))
        over = self.op("Div", self.op("Sub", self.op("Min", end, its_end), self.op("Max", start, its_start)), least)
        return self.op("Min", self.op("Max", over, -1.0), 1.0)

    def both(self, one, other):
        return self.op("Mul", self.is_true(one), self.is_true(other))

    def all(self, geometry):
        graph, op = self.graph, self.op
        its_all = graph.neighbours_of(geometry, GEOMETRY)
        left, top, right, bottom, base, size, _, _, rule_right, rule_below, fill = (graph.columns(geometry, at, at + 1) for at in range(GEOMETRY))
        # Column by column, so that each is dense.
        its_all = graph.add("Transpose", [its_all], perm=[2, 0, 1])
        l, t, r, b, its_base, its_size, _, _, its_rule_right, its_rule_below, its_fill = (graph.shaped(graph.add("Slice", [its_all, graph.integers(at), graph.integers(at + 1), graph.integers(0)]), -1, NEIGHBOURS) for at in range(GEOMETRY))
        ll, rr, tt, bb, baseline = op("Sub", l, left), op("Sub", r, right), op("Sub", t, top), op("Sub", b, bottom), op("Sub", its_base, base)
        cc = op("Div", op("Sub", op("Sub", op("Add", l, r), left), right), 2.0)
        after, before, below, above = op("Sub", l, right), op("Sub", r, left), op("Sub", t, bottom), op("Sub", b, top)
        ratio = op("Sub", its_size, size)
        same_fill = self.is_true(op("Equal", fill, its_fill))
        count = graph.add("Shape", ["features"])
        length = graph.add("Gather", [count, self.graph.constant(numpy.array(0, numpy.int64))], axis=0)
        own = graph.axis(graph.add("Range", [graph.constant(numpy.array(0, numpy.int64)), length, graph.constant(numpy.array(1, numpy.int64))]), 1)
        step = graph.add("Cast", [graph.add("Sub", ["neighbours", own])], to=TensorProto.FLOAT)
        self.absent = op("Mul", self.is_true(op("Equal", "neighbours", length)), relations.ABSENT)
        made = [
            *(self.squash(value) for value in (ll, rr, cc, tt, bb, after, before, below, above, baseline)),
            self.zero(ll, 0.15), self.zero(rr, 0.15), self.zero(cc, 0.2), self.zero(baseline, 0.1), self.zero(baseline, 0.5), self.zero(tt, 0.3),
            self.overlap(top, bottom, t, b), self.overlap(left, right, l, r), op("Min", op("Max", ratio, -2.0), 2.0), self.zero(ratio, 0.05),
            self.both(op("Greater", after, -0.2), op("Greater", op("Sub", l, rule_right), -0.1)), self.both(op("Less", before, 0.2), op("Greater", op("Sub", left, its_rule_right), -0.1)),
            self.both(op("Greater", below, -0.2), op("Greater", op("Sub", t, rule_below), -0.1)), self.both(op("Less", above, 0.2), op("Greater", op("Sub", top, its_rule_below), -0.1)),
            same_fill, op("Mul", same_fill, self.is_true(op("Greater", fill, 0.0))), self.is_true(op("Equal", step, 1.0)), self.is_true(op("Equal", step, -1.0)),
        ]
        return graph.add("Transpose", [graph.add("Concat", [graph.axis(value, 0) for value in made], axis=0)], perm=[1, 2, 0])


class Heads:
    """Attention to neighbours. The biases of all layers, and the edges by head, are made once."""

    def __init__(self, graph, layers, edges, absent):
        self.graph = graph
        self.heads, self.depth = layers[0].heads, layers[0].attended // layers[0].heads
        self.hidden = layers[0].bias.in_features
        biases = torch.nn.Linear(self.hidden, self.heads * len(layers))
        biases.weight.data, biases.bias.data = torch.cat([layer.bias.weight for layer in layers]).data, torch.cat([layer.bias.bias for layer in layers]).data
        bias = graph.add("Add", [graph.linear(edges, biases), graph.axis(absent, 2)])
        self.biases = graph.axis(graph.add("Transpose", [bias], perm=[0, 2, 1]), 2)
        self.edges = self.by_head(edges, self.hidden // self.heads, [0, 2, 1, 3])

    def by_head(self, x, size, order):
        """(n, NEIGHBOURS, heads * size) -> in that order of (n, NEIGHBOURS, heads, size)."""
        return self.graph.add("Transpose", [self.graph.shaped(x, -1, NEIGHBOURS, self.heads, size)], perm=order)

    def seen(self, index, q, keys, values):
        """(n, attended) each -> (n, attended + hidden): what a node's heads see of its neighbours, and of the edges to them."""
        graph, width = self.graph, self.heads * self.depth
        keys = self.by_head(graph.neighbours_of(keys, width), self.depth, [0, 2, 3, 1])
        values = self.by_head(graph.neighbours_of(values, width), self.depth, [0, 2, 1, 3])
        scores = graph.add("MatMul", [graph.shaped(q, -1, self.heads, 1, self.depth), keys])
        bias = graph.add("Slice", [self.biases, graph.integers(index * self.heads), graph.integers((index + 1) * self.heads), graph.integers(1)])
        scores = graph.chain(scores, ("Mul", graph.number(self.depth**-0.5)), ("Add", bias))
        share = graph.add("Softmax", [scores], axis=-1)
        return graph.add("Concat", [graph.shaped(graph.add("MatMul", [share, rows]), -1, columns) for rows, columns in ((values, width), (self.edges, self.hidden))], axis=1)


def attention(graph, heads, index, layer, h):
    width, depth = layer.attended, heads.depth
    normed = graph.norm(h, layer.before_attention)
    qkv = graph.linear(normed, layer.qkv)
    q, keys, values = (graph.columns(qkv, at * width, (at + 1) * width) for at in range(3))
    seen = graph.linear(heads.seen(index, q, keys, values), layer.out)
    most = graph.number(relations.MOST_SCORE)
    bounded = graph.add("Mul", [graph.add("Tanh", [graph.add("Div", [graph.linear(normed, layer.page_scores), most])]), most])
    weight = graph.add("Exp", [bounded])
    weighted = graph.add("Mul", [graph.axis(weight, 2), graph.shaped(values, -1, heads.heads, depth)])
    summary = graph.add("Div", [graph.total(weighted, 0, 1), graph.axis(graph.total(weight, 0, 1), 2)])
    summary = graph.linear(graph.shaped(summary, 1, width), layer.page_out)
    h = graph.chain(h, ("Add", seen), ("Add", summary))
    forward = graph.linear(graph.add("Relu", [graph.linear(graph.norm(h, layer.before_forward), layer.up)]), layer.down)
    return graph.add("Add", [h, forward])


def first_of(graph, network):
    """The nodes' first state; the features' mean and deviation stay apart because the quotient is clipped."""
    features = graph.chain(graph.columns("features", 0, FEATURES), ("Sub", graph.constant(network.mean.numpy())), ("Div", graph.constant(network.deviation.numpy())))
    features = graph.chain(features, ("Max", graph.number(-5.0)), ("Min", graph.number(5.0)))
    text = graph.add("Cast", [graph.columns("features", FEATURES + GEOMETRY, FEATURES + GEOMETRY + TEXT)], to=TensorProto.INT64)
    letters = graph.add("Gather", [graph.weight(network.characters.weight), graph.columns(text, 0, CHARACTERS)], axis=0)
    words = graph.add("Gather", [graph.weight(network.words.weight), graph.columns(text, CHARACTERS, TEXT)], axis=0)
    flat = [graph.shaped(letters, -1, CHARACTERS * relations.CHARACTER_WIDTH), graph.shaped(words, -1, (TEXT - CHARACTERS) * relations.WORD_WIDTH)]
    return graph.linear(graph.add("Concat", [features, *flat], axis=1), network.first)


def model_of(network):
    """features (n, 85), neighbours (n, 24) with n for none, pairs (m, 2), pair_features (m, 1) -> classes (n, 382), joined (m)."""
    graph = RelationGraph()
    geometry = graph.columns("features", FEATURES, FEATURES + GEOMETRY)
    made = EdgeFeatures(graph)
    edges = made.all(geometry)
    edges = graph.add("Relu", [graph.linear(graph.add("Relu", [graph.linear(edges, network.edges[0])]), network.edges[2])])
    h = first_of(graph, network)
    heads = Heads(graph, network.layers, edges, made.absent)
    for index, layer in enumerate(network.layers):
        h = attention(graph, heads, index, layer, h)
    h = graph.norm(h, network.last)
    source, target, other = graph.linear(h, network.source), graph.linear(h, network.target), graph.linear(h, network.other)
    size = network.other.out_features
    one = graph.axis(graph.linear(h, network.one), 1)
    between = graph.add("Relu", [graph.chain(one, ("Add", graph.neighbours_of(other, size)), ("Add", graph.linear(edges, network.between)))])
    logits = graph.shaped(graph.linear(between, network.relations), -1, NEIGHBOURS * len(RELATIONS))
    graph.add("Concat", [*(graph.linear(h, head) for head in (network.classes, network.levels, network.flags)), logits, source, target], "classes", axis=1)
    # The engine's call wants pairs; every pair's logits are in `classes`.
    spare = graph.add("Mul", [graph.total(graph.add("Cast", ["pairs"], to=TensorProto.FLOAT), 1), graph.number(0.0)])
    graph.add("Add", [graph.shaped("pair_features", -1), spare], "joined")
    port = helper.make_tensor_value_info
    inputs = [port("features", TensorProto.FLOAT, ["n", FEATURES + GEOMETRY + TEXT]), port("neighbours", TensorProto.INT64, ["n", NEIGHBOURS]), port("pairs", TensorProto.INT64, ["m", 2]), port("pair_features", TensorProto.FLOAT, ["m", 1])]
    outputs = [port("classes", TensorProto.FLOAT, ["n", columns_of(network)]), port("joined", TensorProto.FLOAT, ["m"])]
    model = helper.make_model(helper.make_graph(graph.nodes, "lectern-relations", inputs, outputs, graph.constants), opset_imports=[helper.make_opsetid("", OPSET)], producer_name="lectern")
    model.ir_version = 8
    return model


def columns_of(network):
    return network.classes.out_features + relations.LEVELS + len(relations.FLAGS) + NEIGHBOURS * len(RELATIONS) + 2 * len(RELATIONS) * VECTOR


@torch.no_grad()
def fixture(network, pages):
    made = []
    for page in pages:
        given = corpus.inputs([page])
        classes, levels, flags, edges, source, target = network(*given)
        rows = torch.cat([classes, levels, flags, edges.flatten(1), source.flatten(1), target.flatten(1)], 1)
        features = numpy.concatenate([page.features, page.geometry, page.text.astype(numpy.float32)], 1)
        made.append({"features": features.astype(float).flatten().tolist(), "neighbours": page.neighbours.flatten().tolist(), "classes": [round(value, 4) for value in rows.flatten().tolist()]})
    return made


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("checkpoint")
    asked.add_argument("target")
    asked.add_argument("--fixture", nargs="+")
    options = asked.parse_args()
    torch.manual_seed(1)
    network, classes = score.read(options.checkpoint) if options.checkpoint != "untrained" else (relations.RelationNetwork(36).eval(), None)
    # The fixture is made with the weights as they are kept.
    for weight in network.parameters():
        if weight.dim() > 1:
            weight.data = weight.data.half().float()
    made = model_of(network)
    helper.set_model_props(made, {"classes": ",".join(classes or []), "relations": ",".join(RELATIONS), "flags": ",".join(relations.FLAGS)})
    onnx.checker.check_model(made)
    onnx.save(made, options.target + ".new")
    os.replace(options.target + ".new", options.target)
    print(f"{options.target}: {os.path.getsize(options.target)} bytes")
    if options.fixture:
        path, tensors, *numbers = options.fixture
        _, pages = corpus.load([tensors])
        with open(path, "w") as file:
            json.dump(fixture(network, [pages[int(number)] for number in numbers]), file, separators=(",", ":"))


if __name__ == "__main__":
    main()
