"""Writes a trained recogniser as ONNX with f16 weights, and its card: python3 export.py CHECKPOINT [models/lectern-recogniser.onnx]."""

import os
import sys

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("text", "shared")]
sys.dont_write_bytecode = True

import alphabet
import evaluate
import lines
import network
import networks
import training
from onnx_graph import Graph


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
    checkpoint, target = networks.target_of(sys.argv[1:], "lectern-recogniser")
    recogniser, state = training.trained(checkpoint, network.Recogniser())
    networks.write(model_of(recogniser, "lectern-recogniser"), target, card(state))


if __name__ == "__main__":
    main()
