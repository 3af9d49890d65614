"""Weights of the signs by which what the table network reads is known for a table: logistic regression over what `npm run bench -- tables --signs FILE` writes. python3 signs.py FILE..."""

import json
import math
import sys

import numpy

# Towards 0, of each weight's square; and by which the readings are parted for a measure of what none of them has taught.
SHRINK, PARTS = 0.5, 5


def fitted(x, truth):
    """Weights by Newton's method; what are tables and what are none count alike."""
    weights = numpy.zeros(x.shape[1])
    counts = numpy.where(truth, (~truth).sum() / max(1, truth.sum()), 1.0)
    for _ in range(60):
        odds = 1 / (1 + numpy.exp(-x @ weights))
        slope = x.T @ ((odds - truth) * counts) + SHRINK * weights
        bend = (x.T * (counts * odds * (1 - odds))) @ x + SHRINK * numpy.eye(len(weights))
        weights -= numpy.linalg.solve(bend, slope)
    return weights


def main():
    readings = [json.loads(line) for path in sys.argv[1:] for line in open(path)]
    names = list(readings[0]["signs"])
    x = numpy.array([[1] + [one["signs"][name] for name in names] for one in readings])
    truth = numpy.array([one["table"] for one in readings])
    weights = fitted(x, truth)
    part = numpy.random.RandomState(0).randint(0, PARTS, len(truth))
    unseen = numpy.zeros(len(truth))
    for number in range(PARTS):
        unseen[part == number] = x[part == number] @ fitted(x[part != number], truth[part != number])
    print(f"{truth.sum()} tables, {(~truth).sum()} readings of what is none")
    print({name: round(weight, 1) for name, weight in zip(["begin"] + names, weights)})
    none = numpy.sort(unseen[~truth])[::-1]
    for most in (3, 5, 7, 10, 14, 28):
        print(f"least odds {none[most]:.2f}: {most} pass for tables, {(unseen[truth] > none[most]).mean():.3f} of the tables are known")


if __name__ == "__main__":
    main()
