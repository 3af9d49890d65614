#!/usr/bin/env python3
"""Writes code_book_tables.cpp: the code books of GGUF's types IQ1, IQ2 and IQ3, which are part of the format.

They are read from the PyPI package gguf (MIT licence), tested with version 0.17:
    pip install gguf && python3 make_code_books.py > code_book_tables.cpp
An entry is one number: eight elements of two bits, or four of three bits, the first element lowest.
"""
import numpy as np
from gguf import quants

BOOKS = [("iq1_entries", quants.IQ1_S), ("iq2_xxs_entries", quants.IQ2_XXS), ("iq2_xs_entries", quants.IQ2_XS), ("iq2_s_entries", quants.IQ2_S), ("iq3_xxs_entries", quants.IQ3_XXS), ("iq3_s_entries", quants.IQ3_S)]

print("// Written by make_code_books.py.\n#include \"tensor/code_book_tables.h\"\n\nnamespace lectern {")
for name, book in BOOKS:
    book.init_grid()
    values = list(book.grid_map)
    entries = book.grid.reshape(book.grid_shape)
    bits = 2 if len(values) <= 4 else 3
    numbers = [sum(values.index(int(v)) << (bits * i) for i, v in enumerate(entry)) for entry in entries]
    print(f"\nconst std::uint16_t {name}[{len(numbers)}] = {{")
    for i in range(0, len(numbers), 24):
        print("    " + ", ".join(map(str, numbers[i : i + 24])) + ",")
    print("};")
print("\n}  // namespace lectern")
