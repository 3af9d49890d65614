"""Writes a trained recogniser as ONNX with f16 weights, and its card: python3 export.py CHECKPOINT [models/lectern-recogniser.onnx]."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

import alphabet
import evaluate
import lines
import network

OPSET = 13
HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(os.path.dirname(os.path.dirname(HERE)), "lectern-recogniser.onnx")


class Graph:
    """Nodes and weights in the order in which they run; every weight is kept as f16 and widened by a Cast."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def weight(self, values):
        name = f"weight{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(values.detach().numpy().astype(numpy.float16), name))
        self.nodes.append(helper.make_node("Cast", [name], [name + ".f32"], to=TensorProto.FLOAT))
        return name + ".f32"

    def add(self, kind, inputs, output=None, **attributes):
        output = output or f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def convolution(self, x, convolution, normalisation, output=None):
        """The norm's scale and shift go into the convolution's weights: at run time they are constants."""
        weight, bias = convolution.weight, convolution.bias
        if normalisation is not None:
            scale = normalisation.weight / torch.sqrt(normalisation.running_var + normalisation.eps)
            weight, bias = weight * scale.reshape(-1, 1, 1, 1), normalisation.bias - normalisation.running_mean * scale
        (top, left), strides, dilations = convolution.padding, list(convolution.stride), list(convolution.dilation)
        return self.add("Conv", [x, self.weight(weight), self.weight(bias)], output, kernel_shape=list(convolution.kernel_size), strides=strides, dilations=dilations, pads=[top, left, top, left])


def model_of(recogniser, name):
    """The ONNX model of network.Recogniser: lines (n, 1, 32, w) -> logits (n, classes, 1, w / 4)."""
    graph = Graph()
    x = "lines"
    for layer in recogniser.layers:
        made = graph.convolution(x, layer.body[0], layer.body[1])
        if isinstance(layer, network.Residual):
            made = graph.add("Add", [x, made])
        x = graph.add("Relu", [made])
    graph.convolution(x, recogniser.classes, None, "logits")
    inputs = [helper.make_tensor_value_info("lines", TensorProto.FLOAT, ["n", 1, lines.HEIGHT, "w"])]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", alphabet.CLASSES, 1, "w_4"])]
    made = helper.make_model(helper.make_graph(graph.nodes, name, inputs, outputs, graph.weights), opset_imports=[helper.make_opsetid("", OPSET)], producer_name="lectern")
    made.ir_version = 7
    helper.set_model_props(made, {"alphabet": alphabet.ALPHABET})
    onnx.checker.check_model(made)
    return made


# ISO 639-3; Tesseract's data files have the same names.
LANGUAGES = ["ces", "dan", "deu", "eng", "fin", "fra", "ita", "nor", "pol", "por", "spa", "swe"]


def card(state):
    """What a reader of lines must know besides the network: value = (grey / 255 - mean) / scale for rows of `height`, blank columns behind the line, one class a letter from class 1."""
    return {
        "name": "lectern-recogniser", "languages": LANGUAGES, "linesSeen": state["visits"], "height": lines.HEIGHT, "mean": 1.0, "scale": -1.0, "columnPixels": network.COLUMN_PIXELS,
        "blankColumns": evaluate.BLANK, "widthMultiple": evaluate.ROUND, "alphabet": alphabet.ALPHABET,
    }


def main():
    checkpoint, target = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else TARGET
    state = torch.load(checkpoint, map_location="cpu")
    recogniser = network.Recogniser()
    recogniser.load_state_dict(state["model"])
    recogniser.eval()
    onnx.save(model_of(recogniser, "lectern-recogniser"), target)
    with open(os.path.splitext(target)[0] + ".json", "w") as file:
        json.dump(card(state), file, ensure_ascii=False, indent=1)
        file.write("\n")
    print(f"{target}: {os.path.getsize(target)} bytes")


if __name__ == "__main__":
    main()
