"""The detector: where lines of text stand, which of four ways they go, and how they lean. Plain convolutions down to a sixteenth of the page, then up again to a quarter."""

from torch import nn
from torch.nn import functional

# Of the page, for one cell of the output.
CELL = 4
# Sides of the input are multiples of it.
MULTIPLE = 16
# Channels of the output: the logit of a line's core, one logit for each orientation, and the lean.
CORE, ORIENTATION, LEAN, OUTPUTS = 0, 1, 5, 6
# Degrees for a lean of 1.
LEAN_DEGREES = 15.0


def convolution(inputs, outputs, size=3, stride=1, dilation=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, size, stride, size // 2 * dilation, dilation, bias=False), nn.BatchNorm2d(outputs))


class Residual(nn.Module):
    """x + convolution(x), then ReLU."""

    def __init__(self, channels, dilation=1):
        super().__init__()
        self.body = convolution(channels, channels, 3, 1, dilation)

    def forward(self, x):
        return functional.relu(x + self.body(x))


class Step(nn.Module):
    """convolution(x), then ReLU."""

    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.body = convolution(inputs, outputs, 3, stride)

    def forward(self, x):
        return functional.relu(self.body(x))


class Up(nn.Module):
    """The coarse map, every cell four times, beside the finer one; then a convolution of both."""

    def __init__(self, coarse, fine):
        super().__init__()
        self.narrow = convolution(coarse, fine, 1)
        self.mixed = Residual(fine)

    def forward(self, coarse, fine):
        return self.mixed(functional.relu(fine + functional.interpolate(self.narrow(coarse), scale_factor=2, mode="nearest")))


class Detector(nn.Module):
    """In: (pages, 1, height, width), ink 1 and paper 0 or the other way round, both sides multiples of 16. Out: (pages, 6, height / 4, width / 4)."""

    def __init__(self, channels=(16, 24, 56, 96)):
        super().__init__()
        first, second, third, fourth = channels
        self.down = nn.ModuleList([
            nn.Sequential(Step(1, first, 2), Step(first, second, 2), Residual(second)),
            nn.Sequential(Step(second, third, 2), Residual(third), Residual(third)),
            # A word knows which way up it is from its letters, a short one from its neighbours.
            nn.Sequential(Step(third, fourth, 2), Residual(fourth), Residual(fourth, 2), Residual(fourth, 4)),
        ])
        self.up = nn.ModuleList([Up(fourth, third), Up(third, second)])
        self.last = nn.Conv2d(second, OUTPUTS, 1)

    def forward(self, x):
        quarter = self.down[0](x)
        eighth = self.down[1](quarter)
        return self.last(self.up[1](self.up[0](self.down[2](eighth), eighth), quarter))
