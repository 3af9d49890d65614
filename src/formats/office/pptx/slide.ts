/** One slide: its shapes in the order of their places, from the top, each with its box on the slide. */
import type { ItemOptions, PageBox } from '../../../document/builder.js';
import type { DocumentNode } from '../../../document/model.js';
import type { CellInput } from '../../../document/table-grid.js';
import type { FoundPicture } from '../../format-reader.js';
import { addHeadingLine } from '../../inline-runs.js';
import type { XmlElement } from '../../xml.js';
import { alternativeText } from '../alternative-text.js';
import { addChart } from '../office-chart.js';
import { numberOf } from '../docx/docx-styles.js';
import type { OfficePackage } from '../office-package.js';
import { emuPerPoint } from '../office-units.js';
import { isTitle, placeholderOf } from './placeholders.js';
import type { Placeholder } from './placeholders.js';
import { addTextBody, bodyRuns, plainBody } from './shape-text.js';
import type { TextContext } from './shape-text.js';

/** Points between two lines of shapes: what was drawn by hand side by side is not quite level. */
const rowHeight = 12;
/** Of one table; PowerPoint allows 75 columns. */
const maximumSpan = 10_000;

interface PlacedShape {
  shape: XmlElement;
  row: number;
  left: number;
  box: PageBox | null;
}

/** More shapes than anyone draws are read by their rows alone: each is compared with each. */
const mostCompared = 2000;

/** A tall shape, such as a table beside a column of texts, follows those that stand at its left, begin lower and end within its height. */
function behindWhatIsBeside(placed: PlacedShape[]): PlacedShape[] {
  if (placed.length > mostCompared) return placed;
  const isBeside = (tall: PlacedShape, other: PlacedShape): boolean => tall.box !== null && other.box !== null && other.row > tall.row && other.box.right <= tall.box.left && other.box.bottom <= tall.box.bottom + rowHeight;
  const ordered = [...placed];
  for (let at = ordered.length - 1; at >= 0; at--) {
    const shape = ordered[at] as PlacedShape;
    const last = ordered.findLastIndex((other, index) => index > at && isBeside(shape, other));
    if (last > at) ordered.splice(last, 0, ...ordered.splice(at, 1));
  }
  return ordered;
}

/** From a group's own units to those of the slide, in points. */
interface Transform {
  scaleX: number;
  scaleY: number;
  left: number;
  top: number;
}

const whole: Transform = { scaleX: 1 / emuPerPoint, scaleY: 1 / emuPerPoint, left: 0, top: 0 };

function frameOf(shape: XmlElement): XmlElement | undefined {
  return shape.at('p:spPr', 'a:xfrm') ?? shape.at('p:grpSpPr', 'a:xfrm') ?? shape.child('p:xfrm');
}

function boxOf(frame: XmlElement | undefined, { scaleX, scaleY, left, top }: Transform): PageBox | null {
  const [offset, size] = [frame?.child('a:off'), frame?.child('a:ext')];
  if (offset === undefined || size === undefined) return null;
  const x = left + (numberOf(offset.get('x')) ?? 0) * scaleX;
  const y = top + (numberOf(offset.get('y')) ?? 0) * scaleY;
  return { left: x, top: y, right: x + (numberOf(size.get('cx')) ?? 0) * scaleX, bottom: y + (numberOf(size.get('cy')) ?? 0) * scaleY };
}

function inside(group: XmlElement, outer: Transform): Transform {
  const frame = group.at('p:grpSpPr', 'a:xfrm');
  const box = boxOf(frame, outer);
  const [offset, size] = [frame?.child('a:chOff'), frame?.child('a:chExt')];
  const [width, height] = [numberOf(size?.get('cx')) ?? 0, numberOf(size?.get('cy')) ?? 0];
  if (box === null || offset === undefined || width <= 0 || height <= 0) return outer;
  const scaleX = (box.right - box.left) / width;
  const scaleY = (box.bottom - box.top) / height;
  return { scaleX, scaleY, left: box.left - (numberOf(offset.get('x')) ?? 0) * scaleX, top: box.top - (numberOf(offset.get('y')) ?? 0) * scaleY };
}

export interface SlideContext extends TextContext {
  office: OfficePackage;
  part: string;
  pageNumber: number;
  /** The slide's group. */
  parent: DocumentNode;
  pictures: FoundPicture[];
}

export class SlideReader {
  constructor(private readonly context: SlideContext) {}

  /** Reads `p:spTree`: the title first, wherever it stands. */
  read(tree: XmlElement): void {
    const shapes = [...tree.elements()];
    const title = shapes.find((shape) => shape.name === 'p:sp' && isTitle(placeholderOf(shape)));
    if (title !== undefined) this.#shape(title, whole);
    for (const shape of this.#byPlace(shapes, whole)) if (shape !== title) this.#shape(shape, whole);
  }

  #shape(shape: XmlElement, transform: Transform): void {
    switch (shape.name) {
      case 'p:sp': return this.#text(shape, transform);
      case 'p:pic': return this.#picture(shape, transform);
      case 'p:graphicFrame': return this.#graphic(shape, transform);
      case 'p:grpSp': return this.#group(shape, transform);
      case 'mc:AlternateContent': for (const child of (shape.child('mc:Choice') ?? shape.child('mc:Fallback'))?.elements() ?? []) this.#shape(child, transform); return;
      default: return;
    }
  }

  #group(group: XmlElement, transform: Transform): void {
    const own = inside(group, transform);
    for (const shape of this.#byPlace([...group.elements()], own)) this.#shape(shape, own);
  }

  /** From the top, and from the left what stands at one height: files keep the order in which shapes were drawn. */
  #byPlace(shapes: XmlElement[], transform: Transform): XmlElement[] {
    let [row, left] = [-Infinity, 0];
    const placed = shapes.map((shape) => {
      // What has no place of its own stays behind what it follows.
      const box = this.#boxOf(shape, transform);
      if (box !== null) [row, left] = [Math.round(box.top / rowHeight), box.left];
      return { shape, row, left, box };
    });
    placed.sort((a, b) => (a.row === b.row ? a.left - b.left : a.row - b.row));
    return behindWhatIsBeside(placed).map(({ shape }) => shape);
  }

  /** Its own box, else that of the placeholder that it fills; of a choice of shapes that of the one that is taken. */
  #boxOf(shape: XmlElement, transform: Transform): PageBox | null {
    if (shape.name === 'mc:AlternateContent') {
      const [first] = (shape.child('mc:Choice') ?? shape.child('mc:Fallback'))?.elements() ?? [];
      return first === undefined ? null : this.#boxOf(first, transform);
    }
    return this.#placedBox(shape, placeholderOf(shape), transform) ?? null;
  }

  #placedBox(shape: XmlElement, placeholder: Placeholder | null, transform: Transform): PageBox | undefined {
    const frames = [frameOf(shape), ...this.context.layout.parents(placeholder).map(frameOf)];
    return frames.map((frame) => boxOf(frame, transform)).find((found) => found !== null);
  }

  #place(shape: XmlElement, placeholder: Placeholder | null, transform: Transform): ItemOptions {
    const box = this.#placedBox(shape, placeholder, transform);
    return { parent: this.context.parent, at: box === undefined ? undefined : [{ pageNumber: this.context.pageNumber, box }] };
  }

  #text(shape: XmlElement, transform: Transform): void {
    const { builder } = this.context;
    const body = shape.child('p:txBody');
    if (body === undefined) return;
    const placeholder = placeholderOf(shape);
    const place = this.#place(shape, placeholder, transform);
    if (isTitle(placeholder)) {
      const title = plainBody(body).replace(/\s+/g, ' ');
      if (title !== '') addHeadingLine(builder, bodyRuns(body), title, (line, more) => builder.addTitle(line, { ...place, ...more }));
    } else if (placeholder !== null && ['ftr', 'sldNum', 'dt', 'hdr'].includes(placeholder.type)) {
      const text = plainBody(body);
      if (text !== '') builder.addFurniture(placeholder.type === 'hdr' ? 'page_header' : 'page_footer', text, place);
    } else addTextBody(this.context, body, placeholder, place);
  }

  #picture(shape: XmlElement, transform: Transform): void {
    const { builder, office, relationships, pictures } = this.context;
    const relationship = relationships.get(shape.at('p:blipFill', 'a:blip')?.get('r:embed') ?? '');
    const alternative = alternativeText(shape.at('p:nvPicPr', 'p:cNvPr')?.get('descr'));
    if (relationship === undefined || relationship.external || !office.archive.has(relationship.target)) {
      // The words for those who do not see it stay.
      if (alternative !== undefined) builder.addPicture({ ...this.#place(shape, placeholderOf(shape), transform), alternative });
      return;
    }
    const item = builder.addPicture({ ...this.#place(shape, placeholderOf(shape), transform), alternative });
    pictures.push({ item, bytes: () => office.archive.read(relationship.target) });
  }

  #graphic(frame: XmlElement, transform: Transform): void {
    const { builder, office, relationships } = this.context;
    const data = frame.at('a:graphic', 'a:graphicData');
    const place = this.#place(frame, placeholderOf(frame), transform);
    const table = data?.child('a:tbl');
    const partOf = (id: string | undefined): XmlElement | null => {
      const relationship = relationships.get(id ?? '');
      return relationship === undefined || relationship.external ? null : office.tree(relationship.target);
    };
    if (table !== undefined) this.#table(table, place);
    const chart = partOf(data?.child('c:chart')?.get('r:id'));
    if (chart !== null) addChart(builder, chart, place);
    const diagram = partOf(data?.child('dgm:relIds')?.get('r:dm'));
    for (const text of diagram?.descendants('dgm:t') ?? []) {
      const words = plainBody(text);
      if (words !== '') builder.addText('text', words, place);
    }
  }

  #table(table: XmlElement, place: ItemOptions): void {
    const cells: CellInput[] = [];
    let rows = 0;
    let columns = 0;
    const span = (text: string | undefined): number => Math.max(1, Math.min(maximumSpan, numberOf(text) ?? 1));
    for (const row of table.elements('a:tr')) {
      let column = 0;
      for (const cell of row.elements('a:tc')) {
        const covered = ['hMerge', 'vMerge'].some((name) => ['1', 'true'].includes(cell.get(name) ?? ''));
        const text = plainBody(cell.child('a:txBody'));
        if (!covered) cells.push({ row: rows, column, text, rowSpan: span(cell.get('rowSpan')), columnSpan: span(cell.get('gridSpan')), columnHeader: rows === 0 });
        column++;
      }
      columns = Math.max(columns, column);
      rows++;
    }
    if (cells.length > 0) this.context.builder.addTable(rows, columns, cells, place);
  }
}
