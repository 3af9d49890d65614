/** The Containerfile, and the reader that runs its steps in bare roots: it refuses what it does not understand. */
import t from 'tap';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assignments, execForm, parseInstructions, stagesOf, substitute } from '../../packaging/src/containerfile.js';
import { packageRoot } from '../../src/platform/package-files.js';

const ours = readFileSync(join(packageRoot(), 'Containerfile'), 'utf8');

t.test('ours is understood, and is what the documentation promises', async (t) => {
  const stages = stagesOf(parseInstructions(ours), {});
  t.strictSame(stages.map(({ image, name }) => [image, name]), [
    ['docker.io/library/node:20-bookworm-slim', 'node'], ['docker.io/library/debian:bookworm-slim', 'build'], ['docker.io/library/debian:bookworm-slim', null],
  ]);
  const cuda = stagesOf(parseInstructions(ours), { BUILD_IMAGE: 'docker.io/nvidia/cuda:1', LECTERN_CUDA: 'all' });
  t.strictSame(cuda.map(({ image }) => image).slice(1), ['docker.io/nvidia/cuda:1', 'docker.io/library/debian:bookworm-slim'], 'the CUDA toolkit stays out of the image');
  const last = stages.at(-1)!.instructions;
  const texts = (name: string): string[] => last.filter((one) => one.name === name).map(({ text }) => text);
  t.strictSame([texts('USER'), texts('ENTRYPOINT'), texts('CMD')], [['lectern'], ['["lectern"]'], ['["serve"]']]);
  t.strictSame(texts('VOLUME').map((text) => execForm({ name: 'VOLUME', text, line: 1 })), [['/var/lib/lectern', '/models']]);
  t.match(texts('HEALTHCHECK'), [/^CMD \["node", "-e", /]);
  t.ok(last.findIndex(({ name }) => name === 'USER') > last.findLastIndex(({ name }) => name === 'RUN'), 'no step of the build is left to the user');
});

t.test('lines, flags and comments', async (t) => {
  const [run, copy, health] = parseInstructions('# a comment\n\nRUN one \\\n  # between\n  && two\nCOPY --from=build /a /b/\nHEALTHCHECK --interval=30s --timeout=5s \\\n  CMD ["x"]');
  t.strictSame(run, { name: 'RUN', text: 'one && two', flags: {}, line: 3 });
  t.strictSame(copy, { name: 'COPY', text: '/a /b/', flags: { from: 'build' }, line: 6 });
  t.strictSame(health?.flags, { interval: '30s', timeout: '5s' });
});

t.test('what is not understood is refused with its line', async (t) => {
  const refused = (text: string, message: string): void => { t.throws(() => stagesOf(parseInstructions(text), {}), { message }); };
  refused('FROM debian:1\nADD a b', 'Containerfile, line 2: ADD is not understood.');
  refused('FROM debian:1\nrun true', 'Containerfile, line 2: run is not understood.');
  refused('FROM debian:1\nCOPY --chown=a:b x y', 'Containerfile, line 2: COPY --chown is not understood.');
  refused('FROM debian:1\nRUN --mount=type=cache,target=/x true', 'Containerfile, line 2: RUN --mount is not understood.');
  refused('RUN true', 'Containerfile, line 1: RUN stands before the first FROM.');
  refused('FROM --platform=linux/amd64 debian:1', 'Containerfile, line 1: FROM --platform is not understood.');
  t.throws(() => stagesOf(parseInstructions('ARG A=1\nFROM debian:1'), { B: '2' }), { message: 'No ARG of the Containerfile is named B.' });
  t.throws(() => execForm({ name: 'CMD', text: 'serve', line: 7 }), { message: 'Containerfile, line 7: CMD has to be a JSON list of words.' });
  t.throws(() => substitute('${A:+x}', { A: '1' }, 3), { message: 'Containerfile, line 3: ${A:+x} is not understood.' });
  t.throws(() => assignments({ text: 'A B', line: 4 }), { message: 'Containerfile, line 4: A B is no list of NAME=value.' });
});

t.test('names are replaced by their values', async (t) => {
  t.equal(substitute('$A/${B}/${C:-c}/${D}', { A: '1', B: '2', D: '' }, 1), '1/2/c/');
  t.strictSame(assignments({ text: 'A=1 B="two words" C=""', line: 1 }), [['A', '1'], ['B', 'two words'], ['C', '']]);
});
