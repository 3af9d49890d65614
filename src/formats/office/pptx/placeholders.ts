/** What a shape takes from its slide's layout and master: the place of a placeholder, and whether its paragraphs have bullets. */
import type { XmlElement } from '../../xml.js';
import type { OfficePackage } from '../office-package.js';

export interface Placeholder {
  type: string;
  index: string;
}

/** Null where the shape is no placeholder. */
export function placeholderOf(shape: XmlElement): Placeholder | null {
  for (const part of shape.elements()) {
    const found = part.at('p:nvPr', 'p:ph');
    if (found !== undefined) return { type: found.get('type') ?? 'obj', index: found.get('idx') ?? '0' };
  }
  return null;
}

const bodies = new Set(['body', 'obj', 'subTitle', 'tbl', 'chart', 'dgm', 'media', 'clipArt', 'pic', 'half']);

export const isTitle = (placeholder: Placeholder | null): boolean => placeholder?.type === 'title' || placeholder?.type === 'ctrTitle';

/** Types that stand for each other on a master, which has one title and one body. */
function sameOnMaster(type: string, other: string): boolean {
  if (type === 'title' || type === 'ctrTitle') return other === 'title' || other === 'ctrTitle';
  return type === other || bodies.has(type) && other === 'body';
}

function shapesOf(tree: XmlElement | null): XmlElement[] {
  return [...(tree?.at('p:cSld', 'p:spTree')?.descendants('p:sp') ?? [])];
}

/** One layout with its master; slides share them. */
export class Layout {
  readonly #shapes: XmlElement[];
  readonly #masterShapes: XmlElement[];
  readonly #styles: XmlElement | undefined;

  constructor(office: OfficePackage, part: string | null) {
    const layout = office.tree(part);
    const master = part === null ? null : office.tree(office.related(part, 'slideMaster'));
    this.#shapes = shapesOf(layout);
    this.#masterShapes = shapesOf(master);
    this.#styles = master?.child('p:txStyles');
  }

  /** The shapes that a placeholder follows, the nearest first. */
  parents(placeholder: Placeholder | null): XmlElement[] {
    if (placeholder === null) return [];
    const own = this.#shapes.find((shape) => {
      const other = placeholderOf(shape);
      return other !== null && (isTitle(placeholder) ? isTitle(other) : other.index === placeholder.index && !isTitle(other));
    });
    const type = (own === undefined ? null : placeholderOf(own)?.type) ?? placeholder.type;
    const upper = this.#masterShapes.find((shape) => sameOnMaster(type, placeholderOf(shape)?.type ?? ''));
    return [own, upper].filter((shape) => shape !== undefined);
  }

  /** The master's style for a level of paragraphs of that kind, level from 0. */
  style(placeholder: Placeholder | null, level: number): XmlElement | undefined {
    const name = placeholder === null ? 'p:otherStyle' : isTitle(placeholder) ? 'p:titleStyle' : bodies.has(placeholder.type) ? 'p:bodyStyle' : 'p:otherStyle';
    return this.#styles?.at(name, `a:lvl${level + 1}pPr`);
  }
}
