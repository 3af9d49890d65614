"""Character error of the recogniser on lines of held-out faces and defects: python3 evaluate.py TEST [--checkpoint FILE | --onnx FILE]."""

import argparse
import os
import sys

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("text", "shared")]
sys.dont_write_bytecode = True

import numpy

import alphabet
import lines

STAGES = ("clean", "degraded")
COUNT = 1000
# Paper on the right, as the reader does: the width is the next multiple of 32 beyond the line and 8 pixels.
BLANK, ROUND = 8, 32


def distance(one, other):
    """Letters to insert, remove or change (Levenshtein)."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (left != right))
    return row[-1]


class Found:
    def __init__(self, count, letters, errors, whole, bare):
        self.count, self.letters, self.errors, self.whole, self.bare = count, letters, errors, whole, bare

    def __str__(self):
        return f"CER {100 * self.errors / self.letters:.2f} % ({100 * self.bare / self.letters:.2f} % without case and spaces), {100 * self.whole / self.count:.1f} % of {self.count} lines whole, {self.letters} letters"


class Test:
    """The test's lines, drawn into `folder` by the first who asks (shards 0 and 1 of stages `clean` and `degraded`)."""

    def __init__(self, folder):
        import shards
        self.rows = {}
        for stage in STAGES:
            place = os.path.join(folder, stage)
            os.makedirs(place, exist_ok=True)
            if not os.path.exists(shards.path_of(place, 0) + ".json"):
                import faces  # fonts are needed only where lines are drawn
                shards.write(place, 0, faces.Case(faces.catalogue(os.path.join(folder, "faces.json")), held_out=True), stage, COUNT)
            self.rows[stage] = shards.read(place, 0)

    def measure(self, network, stage, count=None):
        """`network` takes (1, 1, 32, width) floats and gives logits (1, classes, 1, width / 4). Lines go one by one: a line's text depends on no other."""
        import torch
        rows = self.rows[stage][:count]
        letters = errors = whole = bare = 0
        with torch.no_grad():
            for pixels, text in rows:
                read = alphabet.decode(network(torch.from_numpy(prepared(pixels))).argmax(1).flatten().tolist()).strip()
                off = distance(read, text)
                letters, errors, whole = letters + len(text), errors + off, whole + (off == 0)
                bare += distance(read.lower().replace(" ", ""), text.lower().replace(" ", ""))
        return Found(len(rows), letters, errors, whole, bare)


def prepared(pixels):
    """Bytes (32, width), paper 255 -> floats (1, 1, 32, padded width), ink 1 and paper 0."""
    width = -(-(pixels.shape[1] + BLANK) // ROUND) * ROUND
    x = numpy.zeros((1, 1, lines.HEIGHT, width), dtype=numpy.float32)
    x[0, 0, :, :pixels.shape[1]] = 1 - pixels.astype(numpy.float32) / 255
    return x


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("test")
    asked.add_argument("--checkpoint")
    asked.add_argument("--onnx", help="what ships, models/lectern-recogniser.onnx, instead of a checkpoint")
    asked.add_argument("--draw", action="store_true", help="only draws the lines, for `npm run bench -- ocr`")
    asked.add_argument("--show", type=int, default=0, help="so many misread lines")
    options = asked.parse_args()
    if options.draw:
        Test(options.test)
        return
    import torch
    import network
    import networks
    model = networks.of_files(options.checkpoint, options.onnx, network.Recogniser())
    test = Test(options.test)
    for stage in STAGES:
        print(stage, test.measure(model, stage))
        if options.show:
            shown = 0
            for pixels, text in test.rows[stage]:
                with torch.no_grad():
                    read = alphabet.decode(model(torch.from_numpy(prepared(pixels))).argmax(1).flatten().tolist())
                if read != text and shown < options.show:
                    shown += 1
                    print(f"  {text}\n  {read}\n")


if __name__ == "__main__":
    main()
