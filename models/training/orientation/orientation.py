"""The network that tells how a picture of a line stands: plain 3x3 convolutions that fold 32 rows into one, a column of three classes for eight pixels."""

from torch import nn
from torch.nn import functional

# Of a line's picture, for one column of classes.
COLUMN_PIXELS = 8
# Classes: the right way up, on its head, or no line along the picture's rows at all (text that runs across them).
UPRIGHT, TURNED, NEITHER = 0, 1, 2
CLASSES = 3


def convolution(inputs, outputs, size=3, stride=1, padding=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, size, stride, padding, bias=False), nn.BatchNorm2d(outputs))


class Residual(nn.Module):
    """x + convolution(x), then ReLU."""

    def __init__(self, channels, size=3, padding=1):
        super().__init__()
        self.body = convolution(channels, channels, size, 1, padding)

    def forward(self, x):
        return functional.relu(x + self.body(x))


class Step(nn.Module):
    """convolution(x), then ReLU."""

    def __init__(self, inputs, outputs, size=3, stride=1, padding=1):
        super().__init__()
        self.body = convolution(inputs, outputs, size, stride, padding)

    def forward(self, x):
        return functional.relu(self.body(x))


class Orientation(nn.Module):
    """In: (lines, 1, 32, width), ink 1, paper 0, width a multiple of 8. Out: logits (lines, 3, 1, width / 8); their mean over a line's columns is the line's."""

    def __init__(self, channels=(16, 24, 48, 64)):
        super().__init__()
        first, second, third, last = channels
        self.layers = nn.Sequential(
            Step(1, first, stride=2),             # 16 rows, width / 2
            Step(first, second, stride=2),        # 8, width / 4
            Residual(second),
            Step(second, third, stride=2),        # 4, width / 8
            Residual(third),
            Step(third, last, stride=(2, 1)),     # 2
            Step(last, last, (2, 3), padding=(0, 1)),  # 1
            Residual(last, (1, 3), (0, 1)),
        )
        self.classes = nn.Conv2d(last, CLASSES, 1)

    def forward(self, x):
        return self.classes(self.layers(x))
