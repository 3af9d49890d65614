/** Markdown that renderers read back as it was meant: rendered by markdown-it, each text is what the document holds. */
import { withoutScriptCharacters } from '../../src/document/script-characters.js';
import MarkdownIt from 'markdown-it';
import { parseFragment } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import t from 'tap';
import { DocumentBuilder } from '../../src/document/builder.js';
import { writeMarkdown } from '../../src/document/markdown.js';
import type { Formatting } from '../../src/document/model.js';
import { randomFrom } from '../support/random.js';

const renderer = new MarkdownIt({ html: true });
renderer.enable('strikethrough');

const made = (): DocumentBuilder => new DocumentBuilder({ name: 'made' });
const markdownOf = (builder: DocumentBuilder): string => [...writeMarkdown(builder.document)].join('');

interface RenderedRun {
  text: string;
  /** Names of the elements around it that are styles, sorted. */
  styles: string;
}

/** The text of a page with the style of each piece. */
function rendered(markdown: string): RenderedRun[] {
  const runs: RenderedRun[] = [];
  const walk = (node: DefaultTreeAdapterTypes.ChildNode | DefaultTreeAdapterTypes.DocumentFragment, styles: string[]): void => {
    if (node.nodeName === '#text') {
      const { value } = node as DefaultTreeAdapterTypes.TextNode;
      const key = [...styles].sort().join(' ');
      const last = runs.at(-1);
      if (last?.styles === key) last.text += value;
      else runs.push({ text: value, styles: key });
    } else if ('childNodes' in node) {
      const name = node.nodeName === 's' ? 'del' : node.nodeName;
      for (const child of node.childNodes) walk(child, /^(?:strong|em|del|sup|sub)$/.test(name) ? [...styles, name] : styles);
    }
  };
  walk(parseFragment(renderer.render(markdown)), []);
  return runs;
}

/** The character and its styles; a script character is the plain one with the style. */
function withScript(character: string, styles: string): string {
  for (const [script, name] of [['super', 'sup'], ['sub', 'sub']] as const) {
    const plain = withoutScriptCharacters(character, script);
    if (plain !== character) return `${plain}{${[...styles.split(' ').filter((style) => style !== ''), name].sort().join(' ')}}`;
  }
  return `${character}{${styles}}`;
}

const textOf = (markdown: string): string => rendered(markdown).map(({ text }) => text).join('').trim();

t.test('paragraphs of characters that markdown has a use for', (t) => {
  for (const text of [
    'a *b* c', '**x**', 'f(*args, **kwargs)', '5 * 3 * 2', '2*3*4', 'a ` b ` c', 'use `code` here', '~~not gone~~', 'a ~ b ~~ c', 'x[i](j) + y', '# not a heading', '#hashtag', '###### six',
    '---', '===', '- - -', '***', '* * *', '~~~', 'C:\\*.txt', 'a\\\\b', '\\(x\\)', 'see [1] and [b]', '![no', 'a < b > c & d', '&amp; is an entity', '_under_ and __init__', 'first\n---\nsecond', 'first\n===', 'a\n# b',
    'one*', '*one', 'a * b*c', '\\', '`', '``', '*', '|a|b|', 'x^2 ~ y', '<b>no tag</b>',
  ]) {
    const builder = made();
    builder.addText('text', text);
    t.equal(textOf(markdownOf(builder)).replace(/\s+/g, ' '), text.replace(/\s+/g, ' '), `${text} as ${markdownOf(builder)}`);
  }
  t.end();
});

t.test('styles beside letters, punctuation and each other are what they are', (t) => {
  const styles: Partial<Formatting>[] = [{}, { bold: true }, { italic: true }, { strikethrough: true }, { bold: true, italic: true }, { bold: true, strikethrough: true }, { script: 'super' }, { script: 'sub', italic: true }];
  const names = { bold: 'strong', italic: 'em', strikethrough: 'del' } as const;
  const texts = ['word', '(a)', 'b,', '"c"', '5', '.', 'é', '漢字', '*', '**', 'x_y'];
  const next = randomFrom(20_261_128);
  for (let round = 0; round < 2000; round++) {
    const builder = made();
    const group = builder.addInlineGroup();
    const wanted: RenderedRun[] = [];
    for (let run = 0; run < 1 + Math.floor(next() * 4); run++) {
      const [text, style, glued] = [texts[Math.floor(next() * texts.length)] ?? '', styles[Math.floor(next() * styles.length)] ?? {}, run > 0 && next() < 0.7];
      builder.addText('text', text, { parent: group, glued, formatting: style });
      const key = [...(['bold', 'italic', 'strikethrough'] as const).filter((name) => style[name]).map((name) => names[name] as string), ...(style.script === 'super' ? ['sup'] : style.script === 'sub' ? ['sub'] : [])].sort().join(' ');
      if (run > 0 && !glued) wanted.push({ text: ' ', styles: '' });
      wanted.push({ text, styles: key });
    }
    const markdown = markdownOf(builder);
    const found = rendered(markdown);
    const flat = (runs: RenderedRun[]): string => runs.flatMap(({ text, styles: key }) => Array.from(text.replace(/\n$/, ''), (char) => (/\s/.test(char) ? ' ' : withScript(char, key)))).join('').trim();
    if (flat(found) !== flat(wanted)) t.equal(flat(found), flat(wanted), markdown);
  }
  t.end();
});

t.test('quotations, code with its language, tables in cells', (t) => {
  const builder = made();
  const quote = builder.addGroup('unspecified', 'quote');
  builder.addText('text', 'first', { parent: quote });
  builder.addText('text', 'second\nline', { parent: builder.addGroup('unspecified', 'quote', { parent: quote }) });
  builder.addCode('int x;', { language: 'C++' });
  builder.addCode('plain');
  t.equal(markdownOf(builder), '> first\n>\n> > second\n> > line\n\n```cpp\nint x;\n```\n\n```\nplain\n```');
  t.equal(renderer.render(markdownOf(builder)).match(/<blockquote>/g)?.length, 2);
  t.end();
});
