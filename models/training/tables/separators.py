"""The table network: one convolution that makes places of 4 x 4 pixels, then plain 3x3 ones that look along whole rows and columns between; what parts rows and columns, which cells are one, which rows are the head."""

import torch
from torch import nn

CHANNELS = 48
# Dilation, and whether it looks along whole rows and columns.
LOOKS = ((1, False), (2, True), (4, False), (8, True), (1, False), (4, True), (2, False))
# Pixels of the picture for one place of the spans; rows and columns are answered for two parts of it.
CELL, PARTS = 4, 2


def convolution(inputs, outputs, size=3, stride=1, padding=1, dilation=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, size, stride, padding, dilation, bias=False), nn.BatchNorm2d(outputs))


class Look(nn.Module):
    """x + a convolution around, and where it is far one over the rows' means and one over the columns', then ReLU."""

    def __init__(self, channels, dilation, far):
        super().__init__()
        self.around = nn.Conv2d(channels, channels, 3, 1, dilation, dilation)
        self.rows = convolution(channels, channels, (7, 1), 1, (3, 0)) if far else None
        self.columns = convolution(channels, channels, (1, 7), 1, (0, 3)) if far else None
        with torch.no_grad():
            self.around.weight *= 0.5

    def forward(self, x):
        y = self.around(x)
        if self.rows is not None:
            y += self.rows(x.mean(3, keepdim=True))
            y += self.columns(x.mean(2, keepdim=True))
        y += x
        return nn.functional.relu_(y)


def _parted(x):
    """(n, PARTS * k, places) -> (n, k, places * PARTS): the parts of a place one after the other."""
    n, channels, places = x.shape
    return x.reshape(n, PARTS, channels // PARTS, places).permute(0, 2, 3, 1).reshape(n, channels // PARTS, places * PARTS)


class Separators(nn.Module):
    """
    In: pictures (n, 3, h, w), 0..1, sides multiples of CELL; blank ones at the right and at the bottom do not matter.
    Out: logits: rows (n, 2, h / 2): what parts rows, what is the head; columns (n, 1, w / 2); spans (n, 2, h / 4, w / 4): one cell with what is right of it, below it.
    """

    def __init__(self, channels=CHANNELS):
        super().__init__()
        self.first = convolution(3, channels, 2 * CELL, CELL, CELL // 2)
        self.looks = nn.ModuleList(Look(channels, dilation, far) for dilation, far in LOOKS)
        self.row_step, self.row_end = convolution(2 * channels, channels, (5, 1), 1, (2, 0)), nn.Conv2d(channels, 2 * PARTS, 1)
        self.column_step, self.column_end = convolution(2 * channels, channels, (1, 5), 1, (0, 2)), nn.Conv2d(channels, PARTS, 1)
        self.span_end = nn.Conv2d(channels, 2, 3, 1, 1)

    def forward(self, x):
        relu = nn.functional.relu
        x = relu(self.first(x))
        for look in self.looks:
            x = look(x)
        rows = self.row_end(relu(self.row_step(torch.cat([x.mean(3, keepdim=True), x.amax(3, keepdim=True)], 1))))
        columns = self.column_end(relu(self.column_step(torch.cat([x.mean(2, keepdim=True), x.amax(2, keepdim=True)], 1))))
        return _parted(rows[:, :, :, 0]), _parted(columns[:, :, 0, :]), self.span_end(x)
