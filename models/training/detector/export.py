"""Writes a trained detector as ONNX with f16 weights, and its card: python3 export.py CHECKPOINT [models/lectern-detector.onnx]."""

import os
import sys

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("detector", "shared")]
sys.dont_write_bytecode = True

import torch

import detector
import networks
import training
from onnx_graph import Graph

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
    checkpoint, target = networks.target_of(sys.argv[1:], "lectern-detector")
    network, state = training.trained(checkpoint, detector.Detector())
    card = {"name": "lectern-detector", "steps": state["step"], "dpi": DPI, "mean": 1.0, "scale": -1.0, "cellPixels": detector.CELL, "sidesMultiple": detector.MULTIPLE, "leanDegrees": detector.LEAN_DEGREES}
    networks.write(model_of(network, "lectern-detector"), target, card)


if __name__ == "__main__":
    main()
