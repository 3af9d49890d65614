/** Puts the program into a copy of Node's executable. */
import { createRequire } from 'node:module';

type Inject = (file: string, name: string, blob: Buffer, options: object) => Promise<void>;

/** Node's mark in its executable, where postject turns the single program on. */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** postject has no types and is CommonJS. */
export async function injectProgram(file: string, blob: Buffer): Promise<void> {
  const { inject } = createRequire(import.meta.url)('postject') as { inject: Inject };
  await withoutNoteWarnings(() => inject(file, 'NODE_SEA_BLOB', blob, { sentinelFuse: fuse }));
}

/**
 * postject's ELF library makes a section of each note that it finds in the executable's segments, and warns that it cannot find a name for it in
 * the table of names: the sections stay without one, which nothing reads. These lines are left out; all others are printed.
 */
export async function withoutNoteWarnings(work: () => Promise<void>): Promise<void> {
  const { warn } = console;
  Object.assign(console, {
    warn: (...words: unknown[]): void => {
      if (!/^warning: Can't find string offset for section name '\.note(?:\.\d+)?'\s*$/.test(words.join(' '))) warn.apply(console, words);
    },
  });
  try {
    await work();
  } finally {
    Object.assign(console, { warn });
  }
}
