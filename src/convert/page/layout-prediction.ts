/** The layout network's prediction for a page: the class of each text line, and regions. It only proposes: words and drawings define places. */
import type { Box } from '../../geometry/box.js';
import type { Word } from '../../pdf/pdf-page.js';

/** DocLayNet's classes (Pfitzmann et al. 2022) in the order of the network's output, where `nothing` follows them. */
export const layoutLabels = ['caption', 'footnote', 'formula', 'list_item', 'page_footer', 'page_header', 'picture', 'section_header', 'table', 'text', 'title'] as const;
export type LayoutLabel = (typeof layoutLabels)[number];

/** The probability of each class for one line, 0..1; the remaining probability is that of `nothing`. */
export type LineOdds = Record<LayoutLabel, number>;

/** A region of one class, in points. */
export interface LayoutRegion extends Box {
  label: LayoutLabel;
  /** Mean probability of the class over the region's items, 0..1. */
  score: number;
  /** Indices of the lines, in the order of the network's input. */
  lines: number[];
  /** The region also contains drawings. */
  drawn: boolean;
}

/** The prediction for one line. */
export interface LinePrediction {
  odds: LineOdds;
  /** Index of the line's region in `LayoutPrediction.regions`; -1 for none. */
  region: number;
}

/** The prediction for one page. */
export interface LayoutPrediction {
  /** The most probable first; a line is in one region at most. */
  regions: LayoutRegion[];
  /** By word, for the words that run from left to right; the words of one line share their prediction. */
  lines: Map<Word, LinePrediction>;
  /** The words of each region. */
  words: Word[][];
}
