"""How a table looks: rules, shades, room, alignment. Four families of looks are held out for the test, training never draws them."""

import dataclasses

# Rules of the body, how cells of several lines stand, where the room is: of these the families are made.
RULES = ["none", "head", "booktabs", "rows", "zebra", "columns", "frame", "grid", "groups"]
STANDS = ["top", "middle", "bottom"]
ROOMS = ["tight", "usual", "wide", "stretched"]

HELD_OUT = {("booktabs", "middle", "wide"), ("zebra", "top", "tight"), ("none", "middle", "stretched"), ("rows", "bottom", "usual"), ("head", "top", "stretched"), ("columns", "middle", "tight"), ("groups", "top", "wide"), ("none", "top", "tight")}


@dataclasses.dataclass
class Style:
    rules: str
    stand: str
    room: str
    size: float         # points
    leading: float      # of a line, in sizes
    pad_x: float        # points on each side of a cell's text
    pad_y: float        # above and below it
    stretch: float      # points shared out among the columns
    widest: float       # points of a column of text
    values: str         # right, centre, left
    heads: str          # as the column, centre, left
    head_stand: str
    bold_heads: bool
    bold_labels: bool
    small_caps: bool
    indent: float       # of some labels
    head_shade: bool
    centred_text: bool


def family(style):
    return style.rules, style.stand, style.room


def make(draw, held_out, for_training):
    """A style of the families of training, or of the test's. For training less of what is ruled all round, which the network is not asked about, and more that stands close."""
    while True:
        rules = draw.choices(RULES, weights=[30, 10, 16, 12, 12, 6, 2, 2, 10] if for_training else [26, 10, 16, 12, 10, 6, 3, 7, 10])[0]
        stand = draw.choices(STANDS, weights=[60, 30, 10])[0]
        room = draw.choices(ROOMS, weights=[30, 38, 17, 15] if for_training else [20, 45, 20, 15])[0]
        if ((rules, stand, room) in HELD_OUT) == held_out:
            break
    size = draw.choice([draw.uniform(6, 9), draw.uniform(8, 11), draw.uniform(9, 13)])
    pad_x = {"tight": draw.uniform(0.3, 0.5), "usual": draw.uniform(0.45, 1.1), "wide": draw.uniform(1, 2.5), "stretched": draw.uniform(0.4, 1)}[room] * size
    # Rows set as close as lines differ by their contents alone; lines between them allow for it.
    pad_y = draw.choice([0, 0, draw.uniform(0, 0.2), draw.uniform(0.1, 0.6), draw.uniform(0.2, 0.9)]) * size
    return Style(
        rules, stand, room, size, draw.uniform(1.1, 1.4), pad_x, pad_y, draw.uniform(0, 30) * size if room == "stretched" else 0, draw.uniform(7, 24) * size,
        draw.choice(["right", "right", "centre", "centre", "left"]), draw.choice(["column", "column", "centre", "left"]), draw.choice(STANDS), draw.random() < 0.6, draw.random() < 0.15,
        draw.random() < 0.05, draw.choice([0, 0, 0, draw.uniform(0.6, 2)]) * size, draw.random() < 0.2, draw.random() < 0.12,
    )
