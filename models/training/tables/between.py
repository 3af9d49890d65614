"""The mean of the weights of two exported networks, as a third: python3 between.py FIRST SECOND TARGET. The first's looks may be fewer; those it has not begin as if they were not there."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import onnx
import torch

import export
import separators


def main():
    first, second, target = sys.argv[1:]
    networks = [separators.Separators(), separators.Separators()]
    for network, path in zip(networks, (first, second)):
        separators.begin_from(network, path)
    with torch.no_grad():
        for weight, other in zip(networks[0].parameters(), networks[1].parameters()):
            weight.lerp_(other, 0.5)
    onnx.save(export.model_of(networks[0]), target)


if __name__ == "__main__":
    main()
