/** The document as HTML: one page, or a section for each page; lists nested, tables with spans, everything escaped. */
import { pictureNotes } from './picture-notes.js';
import { isImageAddress, isScript } from './safe-addresses.js';
import { gridOf } from './table-grid.js';
import {
  blocksBelow, captionRefs, childrenOf, isEnumerated, isFloating, isGroup, isInlineGroup, isListGroup, isListItem, isPicture, isQuote, isTable, isText,
  joinRuns, pageOf, resolve, runsOf, shownLayers,
} from './document-tree.js';
import type { ImageMode } from './markdown.js';
import type {
  AnyTextItem, DoclingDocument, DocumentNode, Formatting, GraphData, GroupItem, ListItem, PictureItem, TableCell, TableItem,
} from './model.js';

export interface HtmlWriterOptions {
  imageMode?: ImageMode | undefined;
  /** Gives the address to write for an image's `uri`: the place to turn a stored file into a `data:` address. */
  imageUri?: ((uri: string) => string) | undefined;
  keepFurniture?: boolean | undefined;
  /** Each page in a section of its own, with the picture of the page where there is one. */
  splitPages?: boolean | undefined;
}

const style = `<style>
body { max-width: 50em; margin: 0 auto; padding: 2em; font-family: sans-serif; line-height: 1.5; }
table { border-collapse: collapse; margin: 1em 0; }
th, td { border: 1px solid #ccc; padding: 0.3em 0.6em; text-align: left; vertical-align: top; }
figure { margin: 1.5em 0; text-align: center; }
figcaption, caption { color: #555; font-style: italic; }
img { max-width: 100%; }
pre { background: #f4f4f4; padding: 1em; overflow: auto; }
</style>`;

function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

function escapeAttribute(text: string): string {
  return escapeHtml(text).replace(/"/g, '&quot;').replace(/'/g, '&#x27;');
}

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu;

/** ` dir="rtl"` for text that begins with a letter written from the right, or has more of them than of others. */
function direction(text: string): string {
  const count = text.match(rightToLeft)?.length ?? 0;
  return count > 0 && (text.search(rightToLeft) === 0 || count * 2 > text.length) ? ' dir="rtl"' : '';
}

function element(name: string, content: string, plain: string): string {
  return `<${name}${direction(plain)}>${content}</${name}>`;
}

function decorate(text: string, formatting: Formatting | null, hyperlink: string | null): string {
  if (text === '') return '';
  let result = text;
  if (formatting?.bold === true) result = `<strong>${result}</strong>`;
  if (formatting?.italic === true) result = `<em>${result}</em>`;
  if (formatting?.underline === true) result = `<u>${result}</u>`;
  if (formatting?.strikethrough === true) result = `<del>${result}</del>`;
  if (formatting?.script === 'sub') result = `<sub>${result}</sub>`;
  if (formatting?.script === 'super') result = `<sup>${result}</sup>`;
  return hyperlink === null || hyperlink === '' || isScript(hyperlink) ? result : `<a href="${escapeAttribute(hyperlink)}">${result}</a>`;
}

/** Keys with their values; a cell that hangs on no key stands alone. */
function graphList(graph: GraphData): string {
  const texts = new Map(graph.cells.map((cell) => [cell.cell_id, escapeHtml(cell.text)]));
  const values = new Map<number, string[]>();
  const asValue = new Set<number>();
  for (const link of graph.links) {
    if (link.label !== 'to_value') continue;
    const text = texts.get(link.target_cell_id);
    if (text === undefined || asValue.has(link.target_cell_id)) continue;
    const own = values.get(link.source_cell_id);
    if (own === undefined) values.set(link.source_cell_id, [text]);
    else own.push(text);
    asValue.add(link.target_cell_id);
  }
  const lines = graph.cells.filter((cell) => !asValue.has(cell.cell_id)).map((cell) => {
    const own = values.get(cell.cell_id);
    const key = texts.get(cell.cell_id) ?? '';
    return own === undefined ? `<li>${key}</li>` : `<li><strong>${key}</strong>: ${own.join(', ')}</li>`;
  });
  return lines.length === 0 ? '' : `<ul class="key-value-region">\n${lines.join('\n')}\n</ul>`;
}

class HtmlRenderer {
  readonly #document: DoclingDocument;
  readonly #options: HtmlWriterOptions;
  readonly #layers: ReadonlySet<string>;
  readonly #captions: Set<string>;

  constructor(document: DoclingDocument, options: HtmlWriterOptions) {
    this.#document = document;
    this.#options = options;
    this.#layers = shownLayers(options.keepFurniture ?? false);
    this.#captions = captionRefs(document);
  }

  *blocks(): Generator<{ html: string; page: number | null }> {
    for (const child of childrenOf(this.#document, this.#document.body)) {
      const html = this.#block(child);
      if (html !== '') yield { html, page: pageOf(this.#document, child) };
    }
  }

  #shown(node: DocumentNode): boolean {
    return this.#layers.has(node.content_layer);
  }

  #joined(nodes: DocumentNode[]): string {
    return nodes.map((node) => this.#block(node)).filter((html) => html !== '').join('\n');
  }

  #block(node: DocumentNode): string {
    if (this.#captions.has(node.self_ref)) return '';
    if (isListGroup(node) && isGroup(node)) return this.#list(node);
    if (isListItem(node)) return this.#listItem(node);
    const below = this.#joined(blocksBelow(this.#document, node));
    if (isQuote(node)) return below === '' ? '' : `<blockquote>\n${below}\n</blockquote>`;
    return [this.#own(node), below].filter((html) => html !== '').join('\n');
  }

  #own(node: DocumentNode): string {
    if (isInlineGroup(node) && isGroup(node)) return element('p', this.#inline(node), '');
    if (isGroup(node) || !this.#shown(node)) return '';
    if (isText(node)) return this.#text(node);
    if (isTable(node)) return this.#table(node);
    if (isPicture(node)) return this.#figure(node);
    return 'graph' in node ? [this.#caption(node, 'p'), graphList(node.graph)].filter((html) => html !== '').join('\n') : '';
  }

  #text(item: AnyTextItem): string {
    const words = this.#words(item);
    switch (item.label) {
      case 'title': return element('h1', words, item.text);
      case 'section_header': return element(`h${Math.min(item.level + 1, 6)}`, words, item.text);
      case 'code': return [`<pre><code>${escapeHtml(item.text)}</code></pre>`, this.#caption(item, 'p')].filter((html) => html !== '').join('\n');
      case 'formula': return item.text !== '' ? `<pre class="formula">${escapeHtml(item.text)}</pre>`
        : `<div class="formula-not-decoded">${escapeHtml(item.orig)}</div>`;
      case 'checkbox_selected': return element('p', `<input type="checkbox" disabled checked/> ${words}`, item.text);
      case 'checkbox_unselected': return element('p', `<input type="checkbox" disabled/> ${words}`, item.text);
      default: return words === '' ? '' : element('p', words, item.text);
    }
  }

  #words(item: AnyTextItem): string {
    const runs = runsOf(this.#document, item);
    if (runs !== null) return this.#inline(runs);
    return decorate(escapeHtml(item.text).replace(/\n/g, '<br>'), item.formatting, item.hyperlink);
  }

  #inline(group: GroupItem): string {
    const html = joinRuns(childrenOf(this.#document, group).map((node) => ({ node, text: this.#run(node) })));
    return html === '' ? '' : `<span class='inline-group'>${html}</span>`;
  }

  #run(node: DocumentNode): string {
    if (isInlineGroup(node) && isGroup(node)) return this.#inline(node);
    if (isGroup(node)) return this.#block(node);
    if (!this.#shown(node) || this.#captions.has(node.self_ref)) return '';
    if (node.label === 'code' || node.label === 'formula') {
      const text = node.text === '' ? node.orig : node.text;
      return decorate(`<code>${escapeHtml(text)}</code>`, node.formatting, node.hyperlink);
    }
    return isText(node) ? this.#words(node) : this.#own(node);
  }

  #list(group: GroupItem): string {
    const items = this.#joined(childrenOf(this.#document, group));
    const name = isEnumerated(this.#document, group) ? 'ol' : 'ul';
    return items === '' ? '' : `<${name}>\n${items}\n</${name}>`;
  }

  #listItem(item: ListItem): string {
    if (!this.#shown(item)) return this.#joined(blocksBelow(this.#document, item));
    const words = this.#words(item);
    const below = this.#joined(blocksBelow(this.#document, item));
    const content = below === '' ? words : `\n${words === '' ? '' : `${words}\n`}${below}\n`;
    const css = item.marker.replace(/[\\']/g, '\\$&').replace(/\s+/g, ' ');
    const marker = item.marker === '' ? '' : ` style="list-style-type: ${escapeHtml(`'${css} '`).replace(/"/g, '&quot;')};"`;
    return `<li${direction(item.text)}${marker}>${content}</li>`;
  }

  #caption(node: DocumentNode, name: string): string {
    if (!isFloating(node)) return '';
    const captions = node.captions.map((ref) => resolve(this.#document, ref)).filter(isText).filter((caption) => this.#shown(caption));
    const html = captions.map((caption) => `<div class="caption"${direction(caption.text)}>${this.#words(caption)}</div>`).join(' ');
    return html === '' ? '' : `<${name}>${html}</${name}>`;
  }

  #table(table: TableItem): string {
    const rows = gridOf(table.data).map((line, row) => {
      const cells = line.map((cell, column) => {
        if (cell === null) return '<td></td>';
        return cell.start_row_offset_idx === row && cell.start_col_offset_idx === column ? this.#cell(cell) : '';
      });
      return `<tr>${cells.join('')}</tr>`;
    });
    const body = rows.length === 0 ? '' : `<tbody>${rows.join('')}</tbody>`;
    const caption = this.#caption(table, 'caption');
    return caption === '' && body === '' ? '' : `<table>${caption}${body}</table>`;
  }

  #cell(cell: TableCell): string {
    const name = cell.column_header || cell.row_header || cell.row_section ? 'th' : 'td';
    const rows = cell.row_span > 1 ? ` rowspan="${cell.row_span}"` : '';
    const columns = cell.col_span > 1 ? ` colspan="${cell.col_span}"` : '';
    const content = cell.ref === undefined ? escapeHtml(cell.text.trim()) : this.#block(resolve(this.#document, cell.ref));
    return `<${name}${rows}${columns}${direction(cell.text)}>${content}</${name}>`;
  }

  #figure(picture: PictureItem): string {
    const notes = pictureNotes(picture).map((note) => `<p>${escapeHtml(note)}</p>`).join('');
    const html = this.#caption(picture, 'figcaption') + this.#image(picture) + notes;
    return html === '' ? '' : `<figure>${html}</figure>`;
  }

  #image(picture: PictureItem): string {
    const mode = this.#options.imageMode ?? 'placeholder';
    if (picture.image === null || mode === 'placeholder') return '';
    const uri = this.address(picture.image.uri);
    const fits = isImageAddress(uri) && (mode === 'embedded') === uri.startsWith('data:');
    return fits ? `<img src="${escapeAttribute(uri)}">` : '';
  }

  address(uri: string): string {
    return this.#options.imageUri?.(uri) ?? uri;
  }
}

function* sections(document: DoclingDocument, renderer: HtmlRenderer, mode: ImageMode): Generator<string> {
  let page: number | null = null;
  for (const block of renderer.blocks()) {
    if (page === null || (block.page !== null && block.page > page)) {
      if (page !== null) yield '\n</div>';
      page = block.page ?? page ?? 1;
      yield `\n<div class='page' id="page-${page}">`;
      const image = mode === 'placeholder' ? null : document.pages.get(page)?.image;
      if (image && isImageAddress(renderer.address(image.uri))) yield `\n<figure><img src="${escapeAttribute(renderer.address(image.uri))}"></figure>`;
    }
    yield `\n${block.html}`;
  }
  if (page !== null) yield '\n</div>';
}

/** HTML in chunks that follow each other directly. */
export function* writeHtml(document: DoclingDocument, options: HtmlWriterOptions = {}): Generator<string> {
  yield '<!DOCTYPE html>\n<html>\n<head>\n<meta charset="UTF-8"/>';
  yield `\n<title>${escapeHtml(document.name)}</title>\n<meta name="generator" content="Lectern"/>\n${style}\n</head>\n<body>`;
  const renderer = new HtmlRenderer(document, options);
  if (options.splitPages === true) {
    yield* sections(document, renderer, options.imageMode ?? 'placeholder');
  } else {
    yield "\n<div class='page'>";
    for (const block of renderer.blocks()) yield `\n${block.html}`;
    yield '\n</div>';
  }
  yield '\n</body>\n</html>';
}
