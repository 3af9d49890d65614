"""Writes a trained line network as the file that the program reads: python3 line_export.py CHECKPOINT [models/lectern-layout.json]; with --fixture FILE PAGES.json NUMBER... what it finds on those pages, for the test that holds the program against it."""

import argparse
import base64
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import numpy
import torch

import items
import layers
import line_network
import line_train
from canvas import LABELS

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(os.path.dirname(os.path.dirname(HERE)), "lectern-layout.json")


def halves(values):
    return base64.b64encode(values.detach().numpy().astype("<f2").tobytes()).decode()


def dense(layer):
    return {"rows": layer.out_features, "columns": layer.in_features, "weights": halves(layer.weight), "bias": halves(layer.bias)}


def rounded(model):
    """The network with the weights that the file holds."""
    for name, value in model.state_dict().items():
        value.copy_(value.half().float())
    return model


def fixture(model, pages):
    """Pages, and of each the network's logits and regions."""
    made = []
    with torch.no_grad():
        for page in pages:
            found = items.Items(page)
            classes, joined = model(*line_train.together([line_train.Page(page)])[:5])
            regions = line_network.regions(found, classes, joined)
            made.append({
                "page": {key: page[key] for key in ("width", "height", "lines", "drawn")}, "features": numpy.round(found.features, 4).tolist(), "neighbours": found.neighbours.tolist(), "pairs": found.pairs.tolist(),
                "pairFeatures": numpy.round(found.pair_features, 4).tolist(), "classes": numpy.round(classes.numpy(), 4).tolist(), "joined": numpy.round(joined.numpy(), 4).tolist(),
                "regions": [[LABELS[int(label)], *(round(float(value), 2) for value in box)] for label, *box in regions],
            })
    return made


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("checkpoint")
    asked.add_argument("target", nargs="?", default=TARGET)
    asked.add_argument("--fixture", nargs="+")
    options = asked.parse_args()
    model = line_network.LineNetwork()
    model.load_state_dict(torch.load(options.checkpoint, map_location="cpu")["model"])
    rounded(model.eval())
    with open(options.target, "w") as file:
        json.dump({
            "kind": "line_layout", "about": "What lines of text and drawings of a page are, in DocLayNet's classes; trained on drawn pages by models/training/layout. Weights are halves in base64.", "labels": LABELS,
            "mean": halves(model.mean), "deviation": halves(model.deviation), "first": dense(model.first), "rounds": [dense(layer) for layer in model.rounds], "classes": dense(model.classes), "pair": dense(model.pair), "joined": dense(model.joined),
        }, file, ensure_ascii=False, indent=1)
        file.write("\n")
    print(f"{options.target}: {os.path.getsize(options.target)} bytes")
    if options.fixture:
        path, pages, *numbers = options.fixture
        known = layers.read(pages)
        with open(path, "w") as file:
            json.dump(fixture(model, [known[int(number)] for number in numbers]), file, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
