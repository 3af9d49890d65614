"""Writes a trained orientation network as ONNX with f16 weights, and its card: python3 export.py CHECKPOINT [models/lectern-orientation.onnx]."""

import os
import sys

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("orientation", "shared")]
sys.dont_write_bytecode = True

import networks
import orientation
import training
from onnx_graph import Graph

ROWS = 32


def model_of(network, name):
    """The ONNX model of orientation.Orientation: lines (n, 1, 32, w) -> logits (n, 3, 1, w / 8)."""
    graph = Graph()
    x = "lines"
    for layer in network.layers:
        made = graph.convolution(x, layer.body[0], layer.body[1])
        if isinstance(layer, orientation.Residual):
            made = graph.add("Add", [x, made])
        x = graph.add("Relu", [made])
    graph.convolution(x, network.classes, None, "logits")
    return graph.model(name, [("lines", ["n", 1, ROWS, "w"])], [("logits", ["n", orientation.CLASSES, 1, "w_8"])])


def main():
    checkpoint, target = networks.target_of(sys.argv[1:], "lectern-orientation")
    network, state = training.trained(checkpoint, orientation.Orientation())
    card = {"name": "lectern-orientation", "steps": state["step"], "height": ROWS, "mean": 1.0, "scale": -1.0, "columnPixels": orientation.COLUMN_PIXELS, "classes": ["upright", "turned", "neither"]}
    networks.write(model_of(network, "lectern-orientation"), target, card)


if __name__ == "__main__":
    main()
