// Keeps private words out of comments and documentation: `words.json` lists each with what to say instead, where it counts, and the files that may use it.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { rules, directories, exceptions } = JSON.parse(readFileSync(new URL('words.json', import.meta.url), 'utf8'));
const prose = /\.md$/u;
const cLike = /\.(ts|mjs|cjs|js|cpp|h|cu|cuh)$/u;
const hashLike = /(\.(py|sh)|CMakeLists\.txt)$/u;

/** The comment text of one line of code; what stands in strings does not count, except that a `//` behind a space is taken for a comment. */
function commentOf(line, file) {
  if (prose.test(file)) return line;
  const trimmed = line.trim();
  if (cLike.test(file)) {
    if (/^(\/\/|\/\*|\*)/u.test(trimmed)) return trimmed;
    return /\s\/\/[/!]? (.*)$/u.exec(line)?.[1] ?? '';
  }
  return /(?:^|\s)#(?!!) ?(.*)$/u.exec(line)?.[1] ?? '';
}

const files = execFileSync('git', ['ls-files', '-z', '--', ...directories], { encoding: 'utf8' }).split('\0')
  .filter((file) => file !== '' && !file.startsWith('test/fixtures/') && (prose.test(file) || cLike.test(file) || hashLike.test(file)));
let found = 0;
for (const file of files) {
  const free = exceptions[file] ?? [];
  const active = rules.filter(({ pattern, in: places }) => !free.includes('*') && !free.includes(pattern) && (places === undefined || places.some((place) => file.startsWith(place))))
    .map((rule) => ({ ...rule, expression: new RegExp(rule.pattern, 'iu') }));
  if (active.length === 0) continue;
  readFileSync(file, 'utf8').split('\n').forEach((line, index) => {
    const comment = commentOf(line, file);
    if (comment === '') return;
    for (const { expression, say } of active) {
      const word = expression.exec(comment);
      if (word === null) continue;
      found++;
      process.stderr.write(`${file}:${index + 1}: "${word[0]}": say ${say} (docs/glossary.md)\n`);
    }
  });
}
if (files.length === 0) process.stderr.write('No file was checked.\n');
process.exitCode = found > 0 || files.length === 0 ? 1 : 0;
if (found > 0) process.stderr.write(`${found} private words in comments and documentation.\n`);
