/** What is drawn in a DOCX: pictures, charts, diagrams and boxes of text, in the order in which they stand in the file. */
import type { XmlElement } from '../../xml.js';
import { alternativeText } from '../alternative-text.js';
import { addChart } from '../office-chart.js';
import type { Drawn } from './docx-inline.js';
import type { DocxPart } from './docx-part.js';
import type { DocxTarget } from './docx-target.js';

export class Drawings {
  constructor(private readonly part: DocxPart, private readonly target: DocxTarget, private readonly readBlocks: (content: XmlElement) => void) {}

  /** Adds all of them; `before` runs once if there is anything to add. */
  add(drawn: Drawn[], before: () => void): void {
    if (drawn.length > 0) before();
    for (const { element } of drawn) this.#walk(element);
  }

  /** `alternative` is the text that a drawing around the element gives for it. */
  #walk(element: XmlElement, alternative?: string): void {
    switch (element.name) {
      case 'w:txbxContent': return this.readBlocks(element);
      case 'a:blip': return this.#picture(element.get('r:embed') ?? element.get('r:link'), alternative);
      case 'v:imagedata': return this.#picture(element.get('r:id'), alternative);
      case 'c:chart': return this.#chart(element.get('r:id'));
      case 'dgm:relIds': return this.#diagram(element.get('r:dm'));
      case 'mc:AlternateContent': {
        const chosen = element.child('mc:Choice') ?? element.child('mc:Fallback');
        for (const child of chosen?.elements() ?? []) this.#walk(child, alternative);
        return;
      }
      default: {
        const own = alternativeText(element.child('wp:docPr')?.get('descr'), element.at('pic:nvPicPr', 'pic:cNvPr')?.get('descr'), element.name.startsWith('v:') ? element.get('alt') : undefined) ?? alternative;
        for (const child of element.elements()) this.#walk(child, own);
      }
    }
  }

  #picture(id: string | undefined, alternative: string | undefined): void {
    const { builder, ...place } = this.target;
    const relationship = this.part.package.relationships(this.part.name).get(id ?? '');
    const item = builder.addPicture({ ...place, alternative });
    const { archive } = this.part.package;
    if (relationship?.external === false && archive.has(relationship.target)) this.part.pictures.push({ item, bytes: () => archive.read(relationship.target) });
  }

  #chart(id: string | undefined): void {
    const { builder, ...place } = this.target;
    const relationship = this.part.package.relationships(this.part.name).get(id ?? '');
    const tree = relationship?.external === false ? this.part.package.tree(relationship.target) : null;
    if (tree === null) builder.addPicture(place);
    else addChart(builder, tree, place);
  }

  /** The words of a diagram, one paragraph for each of its boxes. */
  #diagram(id: string | undefined): void {
    const { builder, ...place } = this.target;
    const relationship = this.part.package.relationships(this.part.name).get(id ?? '');
    const tree = relationship?.external === false ? this.part.package.tree(relationship.target) : null;
    for (const point of tree?.descendants('dgm:t') ?? []) {
      const text = [...point.descendants('a:p')].map((paragraph) => [...paragraph.descendants('a:t')].map((t) => t.text).join('')).join(' ').trim();
      if (text !== '') builder.addText('text', text, place);
    }
  }
}
