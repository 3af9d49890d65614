/** docling's own documents: read in and written out, against docling's own markdown, DocTags and JSON. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { writeDocTags } from '../../src/document/doctags.js';
import { writeJson } from '../../src/document/json.js';
import { writeMarkdown } from '../../src/document/markdown.js';
import { readDocument } from '../../src/document/read-document.js';
import { packageRoot } from '../../src/platform/package-files.js';

const folder = join(packageRoot(), '../shared/samples/docling/pdf');
const names = ['2305.03393v1-pg9.pdf', 'multi_page.pdf'];
const skip = !existsSync(folder) && '../shared/samples/docling/pdf is not beside the checkout';

const sample = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** The samples were written without nulls. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== null).map(([key, inner]) => [key, withoutNulls(inner)]));
}

for (const name of names) {
  t.test(name, { skip }, (t) => {
    const source = sample(`${name}.json`);
    const document = readDocument(source);
    t.equal([...writeMarkdown(document, { compactTables: true })].join(''), sample(`${name}.md`), 'markdown to the byte');
    const json = [...writeJson(document)].join('');
    t.equal(JSON.stringify(withoutNulls(JSON.parse(json))), JSON.stringify(JSON.parse(source)), 'JSON: values and order of keys');
    t.equal(/"binary_hash":(\d+)/.exec(json)?.[1], /"binary_hash": (\d+)/.exec(source)?.[1], 'all digits of the hash');

    const tags = [...writeDocTags(document)].join('');
    const theirs = sample(`${name}.doctags.txt`);
    const place = /<loc_(\d+)>/g;
    t.equal(tags.replace(place, ''), theirs.replace(place, ''), 'DocTags to the byte but for places');
    const own = [...tags.matchAll(place)].map((match) => Number(match[1]));
    const other = [...theirs.matchAll(place)].map((match) => Number(match[1]));
    // Their DocTags come from coordinates that the JSON holds rounded: a place at x.5 may fall to the other side.
    const differing = own.filter((value, index) => value !== other[index]);
    t.ok(own.length === other.length && own.every((value, index) => Math.abs(value - (other[index] ?? NaN)) <= 1), 'places within one step');
    t.ok(differing.length <= 1, `${differing.length} of ${own.length} places differ`);
    t.end();
  });
}
