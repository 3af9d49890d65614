/** `lectern pages FILE`: an HTML page that shows what the relation network decides, for the search for a fault. */
import { once } from 'node:events';
import { createWriteStream, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { finished } from 'node:stream/promises';
import { detectFormat } from '../convert/input/input-format.js';
import { openPages } from '../convert/input/pages.js';
import { relationFinder, shippedRelations } from '../convert/relations/network.js';
import { viewPages } from '../convert/relations/view-pages.js';
import { openEngine } from '../engine/engine.js';
import { LecternError } from '../errors.js';
import { shippedModelsDirectory } from '../platform/package-files.js';
import { textOption, type Command } from './command.js';
import { exitCodes } from './exit-codes.js';

/** Rejects with `invalid_request` for a file that cannot be read or has no pages, and where no network is installed. */
export const pagesCommand: Command = async (input) => {
  const [file = ''] = input.words;
  const bytes = readBytes(file);
  const format = detectFormat(bytes, basename(file)).name;
  if (format !== 'pdf') throw new LecternError('invalid_request', `${file} is no PDF: only these have pages to show.`);
  const engine = openEngine();
  const network = textOption(input, 'network');
  try {
    const find = network === undefined ? shippedRelations(() => engine, shippedModelsDirectory()) : relationFinder(() => engine, network);
    if (find === null) throw new LecternError('invalid_request', 'No relation network ships with this program: --network names one.');
    const source = await openPages(format, bytes, textOption(input, 'password') ?? null, basename(file));
    try {
      const output = textOption(input, 'output');
      const out = output === undefined ? process.stdout : createWriteStream(output);
      const indices = Array.from({ length: source.pageCount }, (_, index) => index).filter(rangeOf(textOption(input, 'pages')));
      for await (const piece of viewPages(basename(file), source, indices, find, new AbortController().signal)) if (!out.write(piece)) await once(out, 'drain');
      if (out !== process.stdout) await finished(out.end());
    } finally {
      source.close();
    }
  } finally {
    await engine.close();
  }
  return exitCodes.ok;
};

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new LecternError('invalid_request', `${file} cannot be read: ${(cause as Error).message}.`, { cause });
  }
}

/** Whether a page index (from 0) lies in `3`, `3-7` or `3-`; all without a range. */
function rangeOf(range: string | undefined): (index: number) => boolean {
  if (range === undefined) return () => true;
  const match = /^(\d+)(-)?(\d+)?$/.exec(range);
  if (match === null) throw new LecternError('invalid_request', `--pages takes 3, 3-7 or 3-, not "${range}".`);
  const [, first, dash, last] = match;
  const end = last !== undefined ? Number(last) : dash === undefined ? Number(first) : Infinity;
  return (index) => index + 1 >= Number(first) && index + 1 <= end;
}
