"""Writes a trained recogniser as ONNX with f16 weights, and its card: python3 export.py CHECKPOINT [models/lectern-recogniser.onnx]."""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import onnx
import torch

import alphabet
import evaluate
import lines
import network
from onnx_graph import Graph

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(os.path.dirname(os.path.dirname(HERE)), "lectern-recogniser.onnx")


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
    return graph.model(name, [("lines", ["n", 1, lines.HEIGHT, "w"])], [("logits", ["n", alphabet.CLASSES, 1, "w_4"])], {"alphabet": alphabet.ALPHABET})


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
