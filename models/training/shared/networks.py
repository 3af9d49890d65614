"""A trained network on the command line of its measure, and its files when it is exported."""

import argparse
import json
import os

import training

MODELS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def asked(description, what, model):
    """(the path that is measured on, the network): `--checkpoint FILE` fills `model`, `--onnx FILE` is run as it ships, which takes the package onnx; training goes without."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument(*what[:1], help=what[1])
    which = options.add_mutually_exclusive_group(required=True)
    which.add_argument("--checkpoint")
    which.add_argument("--onnx")
    given = options.parse_args()
    return getattr(given, what[0]), of_files(given.checkpoint, given.onnx, model)


def of_files(checkpoint, onnx_file, model):
    """The network of the file that is given, ready to answer."""
    if onnx_file is None:
        return training.trained(checkpoint, model)[0]
    import plain_onnx
    return plain_onnx.Plain(onnx_file)


def target_of(arguments, name):
    """(checkpoint, file to write): `CHECKPOINT [FILE]`, models/NAME.onnx where none is named."""
    return arguments[0], arguments[1] if len(arguments) > 1 else os.path.join(MODELS, name + ".onnx")


def write(made, target, card=None):
    """The ONNX model, and its card as JSON beside it where it has one."""
    import onnx
    onnx.save(made, target)
    if card is not None:
        with open(os.path.splitext(target)[0] + ".json", "w") as file:
            json.dump(card, file, ensure_ascii=False, indent=1)
            file.write("\n")
    print(f"{target}: {os.path.getsize(target)} bytes")
