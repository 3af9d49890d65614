"""Formulas as MathML of the parts that Chromium lays out: fractions, roots, sums, matrices, scripts."""

LETTERS = "abcdfghkmnpqrstuvwxyzαβγδεθλμπρσφψωΓΔΣΦΩ"
OPERATORS = "+−·×∪∩"
RELATIONS = "=<>≤≥≈≡∈→∝"


def _identifier(draw):
    return f"<mi>{draw.choice(LETTERS)}</mi>"


def _atom(draw, depth):
    kind = draw.random()
    if kind < 0.3 or depth <= 0:
        return _identifier(draw) if draw.chance(0.75) else f"<mn>{draw.randint(1, 99)}</mn>"
    if kind < 0.45:
        return f"<msup>{_identifier(draw)}{_atom(draw, 0)}</msup>"
    if kind < 0.6:
        return f"<msub>{_identifier(draw)}{_atom(draw, 0)}</msub>"
    if kind < 0.72:
        return f"<mfrac><mrow>{_sum(draw, depth - 1)}</mrow><mrow>{_sum(draw, depth - 1)}</mrow></mfrac>"
    if kind < 0.79:
        return f"<msqrt>{_sum(draw, depth - 1)}</msqrt>"
    if kind < 0.9:
        sign = draw.choice("∑∏∫")
        return f"<munderover><mo>{sign}</mo><mrow>{_identifier(draw)}<mo>=</mo><mn>{draw.randint(0, 1)}</mn></mrow>{_identifier(draw)}</munderover>{_atom(draw, depth - 1)}"
    if kind < 0.95:
        return f"<mi>{draw.choice(['sin', 'cos', 'log', 'exp', 'max', 'E', 'Pr'])}</mi><mo>(</mo>{_sum(draw, depth - 1)}<mo>)</mo>"
    rows = "".join("<mtr>" + "".join(f"<mtd>{_atom(draw, 0)}</mtd>" for _ in range(2)) + "</mtr>" for _ in range(2))
    return f"<mo>(</mo><mtable>{rows}</mtable><mo>)</mo>"


def _sum(draw, depth):
    parts = [_atom(draw, depth)]
    for _ in range(draw.choice([0, 0, 1, 1, 2])):
        parts += [f"<mo>{draw.choice(OPERATORS)}</mo>", _atom(draw, depth)]
    return "".join(parts)


def display(draw):
    """A display formula's `math`."""
    relation = draw.choice(RELATIONS).replace("<", "&lt;").replace(">", "&gt;")
    return f'<math display="block"><mrow>{_atom(draw, 0)}<mo>{relation}</mo>{_sum(draw, draw.choice([0, 1, 1, 2]))}</mrow></math>'


def inline(draw):
    return f"<math><mrow>{_sum(draw, 0)}</mrow></math>"
