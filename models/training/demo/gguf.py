"""Writes a GGUF file, version 3: the keys, then the tensors, each at a multiple of 32 bytes."""

import struct

ALIGNMENT = 32
F32, F16 = 0, 1
UNSIGNED, SIGNED, FLOAT, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def scalar(kind, value):
    return text(value) if kind == STRING else struct.pack({UNSIGNED: "<I", SIGNED: "<i", FLOAT: "<f", BOOL: "<?"}[kind], value)


def padding(count):
    return b"\0" * (-count % ALIGNMENT)


def write(path, metadata, tensors):
    """metadata: [(key, kind, value)], an array's kind being (ARRAY, its elements' kind).
    tensors: [(name, torch tensor, F32 or F16)]."""
    head = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(metadata))]
    for key, kind, value in metadata:
        head.append(text(key))
        if isinstance(kind, tuple):
            head.append(struct.pack("<IIQ", ARRAY, kind[1], len(value)))
            head.extend(scalar(kind[1], element) for element in value)
        else:
            head.append(struct.pack("<I", kind) + scalar(kind, value))
    contents, offset = [], 0
    for name, tensor, kind in tensors:
        data = tensor.detach().numpy().astype("<f2" if kind == F16 else "<f4").tobytes()
        head.append(text(name) + struct.pack("<I", tensor.dim()) + b"".join(struct.pack("<Q", size) for size in reversed(tensor.shape)))
        head.append(struct.pack("<IQ", kind, offset))
        contents.append(data + padding(len(data)))
        offset += len(contents[-1])
    start = b"".join(head)
    with open(path, "wb") as file:
        file.write(start + padding(len(start)) + b"".join(contents))
