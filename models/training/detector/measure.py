"""How well the detector knows pages in faces that training never drew: python3 measure.py PAGES --checkpoint FILE | --onnx FILE."""

import os
import sys

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(PLACE, room) for room in ("detector", "shared")]
sys.dont_write_bytecode = True

import numpy
import torch

import detector
import drawn
import networks

# Fewer cells of text than this are no page to judge by.
LEAST_CELLS = 20


def prepared(pixels):
    """Bytes (height, width) -> (1, 1, height, width) with ink 1 and paper 0, as the page has them."""
    return torch.from_numpy(1 - pixels.astype(numpy.float32) / 255)[None, None]


def judged(outputs):
    """(6, rows, columns) -> (the page's orientation 0..3, how much of its text agrees 0..1, its lean in degrees, cells of text)."""
    sure = torch.sigmoid(outputs[detector.CORE])
    weights = torch.where(sure > 0.5, sure, torch.zeros(()))
    total = weights.sum().item()
    if total == 0:
        return 0, 0.0, 0.0, 0
    shares = (torch.softmax(outputs[detector.ORIENTATION:detector.LEAN], 0) * weights).sum((1, 2)) / total
    lean = (outputs[detector.LEAN] * weights).sum().item() / total * detector.LEAN_DEGREES
    return int(shares.argmax()), shares.max().item(), lean, int((weights > 0).sum())


def measure(network, pages):
    """One sentence. `network` takes (1, 1, height, width) and gives (1, 6, height / 4, width / 4)."""
    right = asked = found = cells = true = 0
    leans = []
    with torch.no_grad():
        for pixels, cores, ways, degrees in zip(pages["pixels"], pages["cores"], pages["ways"], pages["degrees"]):
            upright = (ways == 1) & (cores > 127)
            for quarter in range(4):
                # rot90 turns counter-clockwise; the truth counts clockwise quarters.
                turned = numpy.ascontiguousarray(numpy.rot90(pixels, -quarter))
                outputs = network(prepared(turned))[0].float()
                core = numpy.rot90(torch.sigmoid(outputs[detector.CORE]).numpy() > 0.5, quarter)
                found, cells, true = found + (core & (cores > 127)).sum(), cells + (cores > 127).sum(), true + core.sum()
                if upright.sum() < LEAST_CELLS:
                    continue
                way, _, lean, _ = judged(outputs)
                asked, right = asked + 1, right + (way == quarter)
                if way == quarter:
                    leans.append(abs(lean - degrees))
    leans = sorted(leans) or [float("nan")]
    return (f"orientation right on {right} of {asked} pages, cores {100 * found / cells:.1f} % found and {100 * found / max(1, true):.1f} % of the found right, "
            f"lean off by {leans[len(leans) // 2]:.2f} degrees in the median, {leans[int(0.95 * (len(leans) - 1))]:.2f} at 95 %")


def main():
    path, network = networks.asked(__doc__, ("pages", "folder of drawn.py; the test's pages are drawn into it"), detector.Detector())
    print(measure(network, drawn.test(path)))


if __name__ == "__main__":
    main()
