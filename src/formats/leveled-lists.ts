/** Lists from paragraphs of which only the level is known: which group an item belongs to, and below which item a deeper list hangs. */
import type { DocumentBuilder } from '../document/builder.js';
import type { ContentLayer, DocumentNode, GroupItem, ListItem } from '../document/model.js';
import { addItem } from './inline-runs.js';
import type { StyledRun } from './inline-runs.js';

interface OpenLevel {
  level: number;
  /** Which list of the source it is: items of two lists that follow each other are two groups. */
  key: string;
  group: GroupItem;
  last: ListItem | null;
}

export interface LeveledEntry {
  /** From 0. */
  level: number;
  key: string;
  runs: StyledRun[];
  marker: string;
  enumerated: boolean;
}

/** The lists that are open at one place of the document, outermost first. */
export class ListStack {
  readonly #open: OpenLevel[] = [];

  constructor(private readonly builder: DocumentBuilder, private readonly parent: DocumentNode, private readonly layer?: ContentLayer | undefined) {}

  /** A list that skips levels is no deeper than its items are. */
  add({ level, key, runs, marker, enumerated }: LeveledEntry, at?: Parameters<typeof addItem>[3]): ListItem {
    while (this.#open.length > 0 && (this.#open.at(-1) as OpenLevel).level > level) this.#open.pop();
    const top = this.#open.at(-1);
    if (top !== undefined && top.level === level && top.key !== key) this.#open.pop();
    let list = this.#open.at(-1);
    if (list === undefined || list.level !== level) {
      const parent = list?.last ?? this.parent;
      list = { level, key, group: this.builder.addListGroup({ parent, layer: this.layer }), last: null };
      this.#open.push(list);
    }
    list.last = addItem(this.builder, list.group, runs, { layer: this.layer, ...at, marker, enumerated });
    return list.last;
  }

  /** The item that was added last, or null: what goes on within it hangs below it. */
  get last(): ListItem | null {
    return this.#open.at(-1)?.last ?? null;
  }

  /** What follows is no part of these lists. */
  close(): void {
    this.#open.length = 0;
  }
}
