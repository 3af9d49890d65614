"""The recogniser: plain 3x3 convolutions that fold 32 rows into one, then three along the line; one column of classes for four pixels."""

from torch import nn

import alphabet

# Of a line's picture, for one column of classes.
COLUMN_PIXELS = 4


def convolution(inputs, outputs, size=3, stride=1, padding=1, dilation=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, size, stride, padding, dilation, bias=False), nn.BatchNorm2d(outputs))


class Residual(nn.Module):
    """x + convolution(x), then ReLU."""

    def __init__(self, channels, size=3, padding=1, dilation=1):
        super().__init__()
        self.body = convolution(channels, channels, size, 1, padding, dilation)

    def forward(self, x):
        return nn.functional.relu(x + self.body(x))


class Step(nn.Module):
    """convolution(x), then ReLU."""

    def __init__(self, inputs, outputs, size=3, stride=1, padding=1):
        super().__init__()
        self.body = convolution(inputs, outputs, size, stride, padding)

    def forward(self, x):
        return nn.functional.relu(self.body(x))


class Recogniser(nn.Module):
    """In: (lines, 1, 32, width), ink 1, paper 0, width a multiple of 4. Out: logits (lines, classes, 1, width / 4)."""

    def __init__(self, channels=(16, 32, 48, 80, 112, 160), classes=alphabet.CLASSES):
        super().__init__()
        first, second, third, fourth, fifth, last = channels
        self.layers = nn.Sequential(
            Step(1, first, stride=2),              # 16 rows, width / 2
            Step(first, second, stride=(2, 1)),    # 8
            Step(second, third, stride=(1, 2)),    # width / 4
            Residual(third),
            Step(third, fourth, stride=(2, 1)),    # 4
            Residual(fourth),
            Step(fourth, fifth, stride=(2, 1)),    # 2
            Residual(fifth),
            Step(fifth, last, size=(2, 3), padding=(0, 1)),  # 1
            # Letters read their neighbours: 3, 7, then 15 columns, 60 pixels.
            Residual(last, (1, 3), (0, 1)), Residual(last, (1, 3), (0, 2), (1, 2)), Residual(last, (1, 3), (0, 4), (1, 4)),
        )
        self.classes = nn.Conv2d(last, classes, 1)

    def forward(self, x):
        return self.classes(self.layers(x))
