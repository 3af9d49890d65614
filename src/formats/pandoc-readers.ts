/** Light markup that pandoc reads where it is installed: reStructuredText, Org, Textile, MediaWiki. No library for them is kept on npm under a licence that this program may use (`uniorg` is under the GPL); pandoc is a program of its own. */
import { composeBlocks } from './flow/compose-blocks.js';
import { builderFor, finished } from './flow/flow-reader.js';
import { missingFiles } from './flow/missing-files.js';
import { convertByProgram, findProgram } from './external-program.js';
import type { FormatReader } from './format-reader.js';
import { readHtml } from './html/read-html.js';
import { decode, guessRemark } from './text-encoding.js';

/** Title, authors and date of the file's own fields stand before the text. */
const page = '<!DOCTYPE html><html><body>$if(title)$<h1>$title$</h1>$endif$$if(subtitle)$<p>$subtitle$</p>$endif$$for(author)$<p>$author$</p>$endfor$$if(date)$<p>$date$</p>$endif$$body$</body></html>';

/** Files that a text includes. */
function* includes(text: string): Generator<string> {
  for (const [, name = ''] of text.matchAll(/^(?:\.\. (?:include|literalinclude)::|#\+INCLUDE:)[ \t]*"?([^"\n]+)/gim)) yield name;
}

/** Null where pandoc is not installed. `format` is pandoc's name. Files that a text includes are not read (`--sandbox`, since pandoc 2.15). */
export function pandocReader(format: string, kind: string, program: string | null = findProgram(['pandoc'])): FormatReader | null {
  if (program === null) return null;
  return async (bytes, options) => {
    const { text, guessed } = decode(bytes);
    const made = await convertByProgram(Buffer.from(text), { name: 'pandoc', program, kind, input: 'document.txt', outputs: ['document.html'], beside: { 'page.html': page }, args: ['--sandbox', '-f', format, '-t', 'html', '--mathml', '--wrap=none', '--template=page.html', '--metadata', 'pagetitle=-', '-o', 'document.html', 'document.txt'] }, options);
    const builder = builderFor(options);
    return finished(builder, composeBlocks(builder, readHtml(Buffer.from(made).toString('utf8'))), missingFiles(includes(text)), guessed === null ? [] : [guessRemark(guessed)]);
  };
}
