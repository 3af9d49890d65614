/** Markdown and formulas as HTML that runs nothing: markdown-it without HTML, then DOMPurify, then the page's policy. */
import DOMPurify from 'dompurify';
import MarkdownIt, { type RendererRule } from 'markdown-it';
import temml from 'temml';

const reader = new MarkdownIt({ html: false, linkify: false, typographer: false });

/** Images of a model's or a document's markdown would be fetched: their alternative texts stand for them. */
reader.renderer.rules['image'] = (tokens, index) => reader.utils.escapeHtml(tokens[index]?.content ?? '');

/** Without the alignment of its column, which markdown-it writes as a style: the policy refuses those. */
const plainCell: RendererRule = (tokens, index, options, _env, self) => {
  const token = tokens[index];
  if (token !== undefined) token.attrs = null;
  return self.renderToken(tokens, index, options);
};
reader.renderer.rules['th_open'] = plainCell;
reader.renderer.rules['td_open'] = plainCell;

/** No styles, which the policy refuses, no forms, nothing that loads. MathML stays. */
const rules = {
  USE_PROFILES: { html: true, mathMl: true }, FORBID_ATTR: ['style', 'class', 'id', 'name', 'srcset', 'action', 'formaction', 'ping', 'background', 'poster'],
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'option', 'img', 'picture', 'source', 'video', 'audio', 'svg', 'iframe', 'object', 'embed', 'link', 'meta', 'base', 'dialog', 'template'],
  ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
};

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.nodeName !== 'A') return;
  node.setAttribute('target', '_blank');
  node.setAttribute('rel', 'noopener noreferrer nofollow');
});

/** HTML that may be put into the page. */
export function clean(html: string): string {
  return DOMPurify.sanitize(html, rules);
}

/** Formulas between $$…$$, \[…\], \(…\) and $…$ are kept from the reader's eyes. */
const formulas = /\$\$([\s\S]{1,4000}?)\$\$|\\\[([\s\S]{1,4000}?)\\\]|\\\(([\s\S]{1,2000}?)\\\)|(?<![\w$\\])\$(?!\s)([^$\n]{1,500}?)(?<!\s)\$(?![\w$])/g;
const fences = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;
const placeholder = /\uE000(\d+)\uE001/g;

export function renderMarkdown(markdown: string): string {
  const kept: string[] = [];
  const text = markdown.replace(/[\uE000\uE001]/g, '').split(fences).map((part, index) => (index % 2 === 1 ? part : part.replace(formulas, (_whole, display: string | undefined, bracket: string | undefined, paren: string | undefined, inline: string | undefined) => {
    kept.push(formula(display ?? bracket ?? paren ?? inline ?? '', display !== undefined || bracket !== undefined));
    return `\uE000${kept.length - 1}\uE001`;
  }))).join('');
  return clean(reader.render(text).replace(placeholder, (_whole, index: string) => kept[Number(index)] ?? ''));
}

/** The policy refuses them; a browser reports them even where DOMPurify takes them away. */
function withoutStyles(html: string): string {
  return html.replace(/\sstyle="[^"]*"/g, '');
}

/** MathML of a LaTeX formula; the text itself where it is none. */
export function formula(latex: string, isDisplay: boolean): string {
  try {
    return clean(withoutStyles(temml.renderToString(latex, { displayMode: isDisplay, throwOnError: true, maxExpand: 200, maxSize: [20, 100], trust: false })));
  } catch {
    return reader.utils.escapeHtml(latex);
  }
}
