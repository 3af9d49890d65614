/** Prints by Chromium. The second run colours each leaf by a style sheet that changes no layout. */
import { Chromium } from '../chromium.js';
import type { Tab } from '../chromium.js';
import { coloredSheet, cssColor, writeDocument } from '../colored-html.js';
import { parseBody } from '../source-tree.js';
import { readTruth } from '../truth.js';
import type { Truth } from '../truth.js';
import type { Prints, Renderer, SourceDocument, StyleSheet } from './renderer.js';

/** Colours that a style sets on parts of a leaf would cover the leaf's colour. */
const dropPartColors = `const drop=(rules)=>{for(const rule of rules){if(/::?first-l(etter|ine)/.test(rule.selectorText??''))rule.style.removeProperty('color');if(rule.cssRules)drop(rule.cssRules)}};for(const sheet of document.styleSheets)drop(sheet.cssRules);`;
/** The texts of elements that are drawn on each page. */
const fixedColors = `[...document.querySelectorAll('body *')].filter((e)=>getComputedStyle(e).position==='fixed').flatMap((e)=>[e,...e.querySelectorAll('*')]).map((e)=>e.style?.getPropertyValue('--l')??'').filter((c)=>c!=='')`;
const mayBeFixed = /position\s*:\s*fixed/u;

export class ChromiumRenderer implements Renderer {
  readonly name = 'chromium';
  readonly parallel: number;
  #browser = new Chromium();
  #tabs: Tab[] = [];

  constructor(parallel: number) {
    this.parallel = parallel;
  }

  async processorTime(): Promise<number> {
    return this.#browser.processorTime();
  }

  async print(document: SourceDocument, style: StyleSheet): Promise<Prints> {
    const begin = performance.now();
    const body = parseBody(`${style.wrap?.[0] ?? ''}${document.body}${style.wrap?.[1] ?? ''}`);
    const truth = readTruth(body);
    const html = writeDocument(body, truth, {
      language: document.language, direction: document.direction ?? 'ltr', title: document.title, origin: document.origin, css: style.css, htmlClass: style.htmlClass ?? '',
    });
    const parsed = performance.now();
    const tab = this.#tabs.pop() ?? await this.#browser.openTab();
    await tab.show(html);
    const shown = performance.now();
    const plain = await tab.print();
    const printed = performance.now();
    await tab.evaluate(`{${dropPartColors}const s=document.createElement('style');s.textContent=${JSON.stringify(coloredSheet(truth))};document.head.append(s)}`);
    const colored = await tab.print();
    if (mayBeFixed.test(html)) markFixed(truth, await tab.evaluate(fixedColors) as string[]);
    // After a failure the tab may still be at work: only those that are done are used again.
    this.#tabs.push(tab);
    return { plain, colored, truth, times: { parse: parsed - begin, show: shown - parsed, print: printed - shown, printColored: performance.now() - printed } };
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

/** Text that repeats on each page is a running header, whatever element holds it; the first node of that kind is the one of the page's margins. */
function markFixed(truth: Truth, colors: string[]): void {
  const fixed = new Set(colors);
  const header = truth.nodes.findIndex(({ kind }) => kind === 'page-header');
  const isFurniture = (node: number): boolean => node >= 0 && (/^page-/u.test(truth.nodes[node]!.kind) || isFurniture(truth.nodes[node]!.parent));
  for (const leaf of truth.leaves) if (fixed.has(cssColor(leaf.color)) && !isFurniture(leaf.node)) leaf.node = header;
}
