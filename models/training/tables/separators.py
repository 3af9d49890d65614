"""The table network: one convolution that makes places of 4 x 4 pixels, then plain 3x3 ones that look along whole rows and columns between; what parts rows and columns, which cells are one, which rows are the head."""

import torch
from torch import nn

CHANNELS = 48
# Dilation, and whether it reads along whole rows and columns.
LOOKS = ((1, False), (2, True), (4, False), (8, True), (1, False), (4, True), (2, False), (8, True), (1, False), (4, True))
# Pixels of the picture for one place of the spans; rows and columns are answered for two parts of it.
CELL, PARTS = 4, 2


class Look(nn.Module):
    """x + a convolution around, and where it is far one over the rows' means and one over the columns', then ReLU. It begins with weights of 0: as if it were not there."""

    def __init__(self, channels, dilation, far):
        super().__init__()
        self.around = nn.Conv2d(channels, channels, 3, 1, dilation, dilation)
        self.rows = nn.Conv2d(channels, channels, (7, 1), 1, (3, 0)) if far else None
        self.columns = nn.Conv2d(channels, channels, (1, 7), 1, (0, 3)) if far else None
        with torch.no_grad():
            for parameter in self.parameters():
                parameter.zero_()

    def forward(self, x, inside):
        y = self.around(x)
        if self.rows is not None:
            y += self.rows(inside.mean(x, 3))
            y += self.columns(inside.mean(x, 2))
        y += x
        return inside.of(nn.functional.relu_(y))


class Inside:
    """Which places belong to a picture of a batch: mask (n, 1, h, w). What is beyond takes no part, so that a picture has the same answers alone and in any company."""

    def __init__(self, mask):
        self.mask, self.is_all = mask, bool(mask.min() > 0)
        self.lengths = {axis: mask.amax(5 - axis, keepdim=True).sum(axis, keepdim=True) for axis in (2, 3)}

    def of(self, x):
        return x if self.is_all else x * self.mask.to(x.dtype)

    def mean(self, x, axis):
        return x.sum(axis, keepdim=True) / self.lengths[axis].to(x.dtype)


def _parted(x):
    """(n, PARTS * k, places) -> (n, k, places * PARTS): the parts of a place one after the other."""
    n, channels, places = x.shape
    return x.reshape(n, PARTS, channels // PARTS, places).permute(0, 2, 3, 1).reshape(n, channels // PARTS, places * PARTS)


class Separators(nn.Module):
    """
    In: pictures (n, 3, h, w), 0..1, sides multiples of CELL, with blank ones at the right and at the bottom; `mask` (n, 1, h / 4, w / 4) is 0 there.
    Out: logits: rows (n, 2, h / 2): what parts rows, what is the head; columns (n, 1, w / 2); spans (n, 2, h / 4, w / 4): one cell with what is right of it, below it.
    """

    def __init__(self, channels=CHANNELS):
        super().__init__()
        self.first = nn.Conv2d(3, channels, 2 * CELL, CELL, CELL // 2)
        self.looks = nn.ModuleList(Look(channels, dilation, far) for dilation, far in LOOKS)
        self.row_step, self.row_end = nn.Conv2d(2 * channels, channels, (5, 1), 1, (2, 0)), nn.Conv2d(channels, 2 * PARTS, 1)
        self.column_step, self.column_end = nn.Conv2d(2 * channels, channels, (1, 5), 1, (0, 2)), nn.Conv2d(channels, PARTS, 1)
        self.span_end = nn.Conv2d(channels, 2, 3, 1, 1)

    def forward(self, x, mask):
        relu, inside = nn.functional.relu, Inside(mask)
        x = inside.of(relu(self.first(x)))
        for look in self.looks:
            x = look(x, inside)
        # Nothing is below 0, so what is beyond the picture is no maximum.
        both = lambda axis: torch.cat([inside.mean(x, axis), x.amax(axis, keepdim=True)], 1)
        rows = self.row_end(relu(self.row_step(both(3))))
        columns = self.column_end(relu(self.column_step(both(2))))
        return _parted(rows[:, :, :, 0]), _parted(columns[:, :, 0, :]), self.span_end(x)


def begin_from(network, path):
    """The weights of an exported network, whose norms are folded into its convolutions; looks that it has not stay as they are, as if they were not there."""
    import onnx
    from onnx import numpy_helper
    halves = [numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer if one.data_type == onnx.TensorProto.FLOAT16]
    ends = [parameter for name, parameter in network.named_parameters() if not name.startswith(("first", "looks"))]
    most = len(halves) - len(ends)
    begun = [parameter for name, parameter in network.named_parameters() if name.startswith(("first", "looks"))][:most]
    for parameter, values in zip(begun + ends, halves):
        if tuple(parameter.shape) != values.shape:
            raise ValueError(f"{path}: {values.shape} where {tuple(parameter.shape)} is wanted")
        parameter.data.copy_(torch.from_numpy(values.astype("float32")))
