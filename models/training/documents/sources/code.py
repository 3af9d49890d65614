"""Listings: programs, configuration files, sessions, logs, made of templates and names."""

from .markup import tag, text

NAMES = "buffer|count|index|reader|queue|node|parse|encode|result|options|token|stream|value|cache|width|offset|handler|config|path|total".split("|")


def _names(draw, count):
    return draw.sample(NAMES, count)


def _python(draw):
    a, b, c, d = _names(draw, 4)
    return f"def {a}({b}, {c}=None):\n    \"\"\"Return the {d}.\"\"\"\n    {d} = []\n    for item in {b}:\n        if item > {draw.randint(0, 99)}:\n            {d}.append(item * {draw.randint(2, 9)})\n    return {d}"


def _c(draw):
    a, b, c, d = _names(draw, 4)
    return f"#include <stdio.h>\n\nint {a}(const char *{b}, size_t {c})\n{{\n    size_t {d};\n    for ({d} = 0; {d} < {c}; {d}++) {{\n        if ({b}[{d}] == '\\0')\n            return -{draw.randint(1, 9)};\n    }}\n    return 0;\n}}"


def _shell(draw):
    a, b, c, d = _names(draw, 4)
    return f"$ {a} --{b}={draw.randint(1, 99)} /var/lib/{c}\n{a}: reading {d}.conf\n{a}: {draw.randint(2, 400)} entries, {draw.randint(0, 9)} errors\n$ echo $?\n{draw.randint(0, 2)}"


def _config(draw):
    return "\n".join([f"[{draw.choice(NAMES)}]"] + [f"{name} = {draw.choice([draw.randint(1, 9999), 'true', 'false', '/etc/' + name, '10.0.0.' + str(draw.randint(1, 254))])}" for name in draw.sample(NAMES, draw.randint(3, 8))])


def _sql(draw):
    a, b, c, d = _names(draw, 4)
    return f"SELECT {a}, count(*) AS {b}\n  FROM {c}\n  JOIN {d} USING (id)\n WHERE {a} > {draw.randint(1, 500)}\n GROUP BY {a}\n ORDER BY 2 DESC;"


def _json(draw):
    return "{\n" + ",\n".join(f'  "{name}": {draw.choice([draw.randint(0, 999), "true", chr(34) + name + chr(34), "[1, 2, 3]"])}' for name in draw.sample(NAMES, draw.randint(3, 7))) + "\n}"


def _log(draw):
    return "\n".join(f"2024-{draw.randint(1, 12):02}-{draw.randint(1, 28):02} {draw.randint(0, 23):02}:{draw.randint(0, 59):02}:{draw.randint(0, 59):02} {draw.choice(['INFO ', 'WARN ', 'ERROR', 'DEBUG'])} {draw.choice(NAMES)}: {draw.choice(NAMES)} {draw.choice(NAMES)} ({draw.randint(1, 900)} ms)" for _ in range(draw.randint(3, 9)))


def listing(draw):
    """A `pre` with one listing."""
    source = draw.choice([_python, _c, _shell, _config, _sql, _json, _log])(draw)
    return tag("pre", tag("code", text(source)) if draw.chance(0.7) else text(source))
