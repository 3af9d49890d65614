"""Writes a trained line network as ONNX with f16 weights: python3 line_export.py CHECKPOINT [models/lectern-layout.onnx]; with --fixture FILE PAGES.json NUMBER... what it finds on those pages, for the test that holds the program against it."""

import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.append(os.path.join(os.path.dirname(HERE), "shared"))
sys.dont_write_bytecode = True

import numpy
import onnx
import torch
from onnx import TensorProto, helper

import items
import layers
import line_network
import line_train
import training
from canvas import LABELS
from onnx_graph import Graph

OPSET = 13
TARGET = os.path.join(os.path.dirname(os.path.dirname(HERE)), "lectern-layout.onnx")


class LineGraph(Graph):
    def product(self, x, weight, bias=None, output=None):
        """x (n, columns) times the transpose of weight (rows, columns), plus the bias."""
        made = self.add("MatMul", [x, self.weight(weight.T.contiguous())], output if bias is None else None)
        return made if bias is None else self.add("Add", [made, self.weight(bias)], output)

    def integers(self, *values):
        return self.constant(numpy.array(values, numpy.int64))

    def one_of_both(self, both, index):
        """(m, 2, width) -> (m, width)."""
        return self.add("Gather", [both, self.constant(numpy.array(index, numpy.int64))], axis=1)


def folded(model):
    """The first layer with the features' mean and deviation in it, so that it takes them as they are."""
    weight = model.first.weight / model.deviation
    return weight, model.first.bias - weight @ model.mean


def model_of(model):
    """The ONNX model of line_network.LineNetwork for one page: features (n, FEATURES), neighbours (n, SIDES) with n for none, pairs (m, 2), pair_features (m, PAIR_FEATURES) -> classes (n, CLASSES), joined (m)."""
    graph, width = LineGraph(), line_network.WIDTH
    h = graph.add("Relu", [graph.product("features", *folded(model))])
    no_neighbour = graph.weight(torch.zeros(1, width))
    flat = graph.integers(-1, line_network.SIDES * width)
    for layer in model.rounds:
        known = graph.add("Gather", [graph.add("Concat", [h, no_neighbour], axis=0), "neighbours"], axis=0)
        seen = graph.add("Concat", [h, graph.add("Reshape", [known, flat])], axis=1)
        mean = graph.add("ReduceMean", [h], axes=[0], keepdims=1)
        of_items, of_page = layer.weight[:, :-width], layer.weight[:, -width:]
        new = graph.add("Add", [graph.product(seen, of_items), graph.product(mean, of_page, layer.bias)])
        h = graph.add("Add", [h, graph.add("Relu", [new])])
    graph.product(h, model.classes.weight, model.classes.bias, "classes")
    both = graph.add("Gather", [h, "pairs"], axis=0)
    one, other = graph.one_of_both(both, 0), graph.one_of_both(both, 1)
    between = graph.add("Concat", [graph.add("Add", [one, other]), graph.add("Abs", [graph.add("Sub", [one, other])]), "pair_features"], axis=1)
    joined = graph.product(graph.add("Relu", [graph.product(between, model.pair.weight, model.pair.bias)]), model.joined.weight, model.joined.bias)
    graph.add("Reshape", [joined, graph.integers(-1)], "joined")
    port = helper.make_tensor_value_info
    inputs = [port("features", TensorProto.FLOAT, ["n", items.FEATURES]), port("neighbours", TensorProto.INT64, ["n", line_network.SIDES]), port("pairs", TensorProto.INT64, ["m", 2]), port("pair_features", TensorProto.FLOAT, ["m", items.PAIR_FEATURES])]
    outputs = [port("classes", TensorProto.FLOAT, ["n", line_network.CLASSES]), port("joined", TensorProto.FLOAT, ["m"])]
    made = helper.make_model(helper.make_graph(graph.nodes, "lectern-layout", inputs, outputs, graph.constants), opset_imports=[helper.make_opsetid("", OPSET)], producer_name="lectern")
    made.ir_version = 7
    helper.set_model_props(made, {"labels": ",".join(LABELS)})
    onnx.checker.check_model(made)
    return made


def fixture(model, pages):
    """Pages, and of each the network's logits and regions, with all its weights as they were trained."""
    made = []
    with torch.no_grad():
        for page in pages:
            found = items.Items(page)
            classes, joined = model(*line_train.together([line_train.Page(page)])[:5])
            regions = line_network.regions(found, classes, joined)
            made.append({
                "page": {key: page[key] for key in ("width", "height", "lines", "drawn")}, "features": numpy.round(found.features, 4).tolist(), "neighbours": found.neighbours.tolist(), "pairs": found.pairs.tolist(),
                "pairFeatures": numpy.round(found.pair_features, 4).tolist(), "classes": numpy.round(classes.numpy(), 3).tolist(), "joined": numpy.round(joined.numpy(), 3).tolist(),
                "regions": [[LABELS[int(label)], *(round(float(value), 2) for value in box)] for label, *box in regions],
            })
    return made


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("checkpoint")
    asked.add_argument("target", nargs="?", default=TARGET)
    asked.add_argument("--fixture", nargs="+")
    options = asked.parse_args()
    model, state = training.trained(options.checkpoint, line_network.LineNetwork())
    onnx.save(model_of(model), options.target)
    print(f"{options.target}: pass {state['pass']}, {os.path.getsize(options.target)} bytes")
    if options.fixture:
        path, pages, *numbers = options.fixture
        known = layers.read(pages)
        with open(path, "w") as file:
            json.dump(fixture(model, [known[int(number)] for number in numbers]), file, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
