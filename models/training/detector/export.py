"""Writes a trained detector as ONNX with f16 weights, and its card: python3 export.py CHECKPOINT [models/lectern-detector.onnx]."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(1, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "text"))
sys.dont_write_bytecode = True

import onnx
import torch

import detector
from onnx_graph import Graph

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(os.path.dirname(os.path.dirname(HERE)), "lectern-detector.onnx")
# Of the pages that it was shown.
DPI = 96


def _run(graph, layer, x):
    """One Step, Residual or bare convolution with its norm, and what lies in sequence of them."""
    if isinstance(layer, torch.nn.Sequential) and isinstance(layer[0], torch.nn.Conv2d):
        return graph.convolution(x, layer[0], layer[1])
    if isinstance(layer, torch.nn.Sequential):
        for one in layer:
            x = _run(graph, one, x)
        return x
    made = _run(graph, layer.body, x)
    if isinstance(layer, detector.Residual):
        made = graph.add("Add", [x, made])
    return graph.add("Relu", [made])


def _up(graph, layer, coarse, fine):
    """As detector.Up."""
    both = graph.add("Relu", [graph.add("Add", [fine, graph.doubled(_run(graph, layer.narrow, coarse))])])
    return _run(graph, layer.mixed, both)


def model_of(network, name):
    """The ONNX model of detector.Detector: pages (n, 1, h, w) -> cells (n, 6, h / 4, w / 4)."""
    graph = Graph()
    quarter = _run(graph, network.down[0], "pages")
    eighth = _run(graph, network.down[1], quarter)
    sixteenth = _run(graph, network.down[2], eighth)
    graph.convolution(_up(graph, network.up[1], _up(graph, network.up[0], sixteenth, eighth), quarter), network.last, None, "cells")
    return graph.model(name, [("pages", ["n", 1, "h", "w"])], [("cells", ["n", detector.OUTPUTS, "h_4", "w_4"])], {"lean_degrees": str(detector.LEAN_DEGREES), "dpi": str(DPI)})


def main():
    checkpoint, target = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else TARGET
    state = torch.load(checkpoint, map_location="cpu")
    network = detector.Detector()
    network.load_state_dict(state["model"])
    network.eval()
    onnx.save(model_of(network, "lectern-detector"), target)
    with open(os.path.splitext(target)[0] + ".json", "w") as file:
        json.dump({"name": "lectern-detector", "steps": state["step"], "dpi": DPI, "mean": 1.0, "scale": -1.0, "cellPixels": detector.CELL, "sidesMultiple": detector.MULTIPLE, "leanDegrees": detector.LEAN_DEGREES}, file, indent=1)
        file.write("\n")
    print(f"{target}: {os.path.getsize(target)} bytes")


if __name__ == "__main__":
    main()
