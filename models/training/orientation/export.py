"""Writes a trained orientation network as ONNX with f16 weights, and its card: python3 export.py CHECKPOINT [models/lectern-orientation.onnx]."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "text"))
sys.dont_write_bytecode = True

import onnx
import torch

import orientation
from onnx_graph import Graph

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(os.path.dirname(os.path.dirname(HERE)), "lectern-orientation.onnx")
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
    checkpoint, target = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else TARGET
    state = torch.load(checkpoint, map_location="cpu")
    network = orientation.Orientation()
    network.load_state_dict(state["model"])
    network.eval()
    onnx.save(model_of(network, "lectern-orientation"), target)
    with open(os.path.splitext(target)[0] + ".json", "w") as file:
        json.dump({"name": "lectern-orientation", "steps": state["step"], "height": ROWS, "mean": 1.0, "scale": -1.0, "columnPixels": orientation.COLUMN_PIXELS, "classes": ["upright", "turned", "neither"]}, file, indent=1)
        file.write("\n")
    print(f"{target}: {os.path.getsize(target)} bytes")


if __name__ == "__main__":
    main()
