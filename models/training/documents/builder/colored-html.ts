/** A document as Chromium loads it: the source in the style, with the colour of each leaf in custom properties that only the coloured run uses. */
import { setAttribute, attribute, writeHtml } from './source-tree.js';
import type { Fragment } from './source-tree.js';
import type { Truth } from './truth.js';
import { marginBoxes } from './truth.js';

export interface HtmlParts {
  language: string;
  direction: string;
  title: string;
  origin: string;
  css: string;
  htmlClass: string;
}

/** Holds in both runs. Colours are printed as they are. */
const both = '*{print-color-adjust:exact!important;-webkit-print-color-adjust:exact!important;animation:none!important;transition:none!important}x-t{display:inline}';
const colored = `*,*::placeholder{color:var(--l)!important;-webkit-text-fill-color:currentcolor!important}
*::marker{color:var(--m)!important}*::before{color:var(--b)!important}*::after{color:var(--a)!important}
svg *{fill:var(--f,unset)}svg text,svg tspan{fill:var(--l)!important}
[data-o]{outline:1px solid var(--o)!important;outline-offset:-1px!important}`;

export function cssColor(color: number): string {
  return `#${color.toString(16).padStart(6, '0')}`;
}

/** The style sheet of the coloured run. */
export function coloredSheet(truth: Truth): string {
  const margins = marginBoxes.map((name, at) => `@${name}{color:${cssColor(truth.leaves[at]!.color)}!important}`).join('');
  return `${colored.replace('svg *{fill:var(--f,unset)}', '')}@page{${margins}}`;
}

/** Writes the custom properties of each element into its `style`, and the document around the body. */
export function writeDocument(body: Fragment, truth: Truth, { language, direction, title, origin, css, htmlClass }: HtmlParts): string {
  for (const [element, { text, marker, before, after, outline }] of truth.elements) {
    let style = attribute(element, 'style');
    if (style !== '' && !style.trimEnd().endsWith(';')) style += ';';
    if (text >= 0) style += `--l:${cssColor(text)};`;
    if (marker >= 0) style += `--m:${cssColor(marker)};`;
    if (before >= 0) style += `--b:${cssColor(before)};`;
    if (after >= 0) style += `--a:${cssColor(after)};`;
    if (outline >= 0) {
      style += `--o:${cssColor(outline)};`;
      setAttribute(element, 'data-o', '');
    }
    if (style !== '') setAttribute(element, 'style', style);
  }
  return `<!doctype html><html lang="${escape(language)}" dir="${escape(direction)}" class="${escape(htmlClass)}"><head><meta charset="utf-8"><title>${escape(title)}</title><style>${both}</style><style>${css}</style></head>`
    + `<body data-origin="${escape(origin)}">${writeHtml(body)}</body></html>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
