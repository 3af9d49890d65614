/**
 * The four values of a page: its text in the file, the text after recognition, its regions, and its structure. Each step of the page pipeline makes the
 * next value from the previous one and changes none. Lengths are points (1/72 inch) from the top left corner of the upright page; page indices count from 0.
 */
import type { Box } from '../../geometry/box.js';
import type { HiddenText, Link, PageContent, QuarterTurn } from '../../pdf/pdf-page.js';
import type { PageDecision } from '../relations/decide-page.js';
import type { RecognitionReason } from './recognition-reason.js';
import type { FoundTable } from './found-table.js';
import type { LayoutPrediction } from './layout-prediction.js';
import type { PageTable } from './page-table.js';
import type { CardRow, ColumnRule, Contents, FigureRegion, Listing, Separator } from './regions.js';
import type { TextLine } from './text-line.js';

/** The source of the page's text. */
export interface TextOrigin {
  /** Characters of an invisible text layer that were kept, such as those of a scan's own layer. */
  invisibleCharacters: number;
  /** Degrees by which the page was rotated clockwise before its text was read from the file; absent for none. */
  turn?: QuarterTurn;
  /** For text recognised in the page picture: the recogniser, the confidence (0..1), the rotation of the picture (degrees clockwise) and its skew (degrees, counter-clockwise). */
  recognised?: { by: string; confidence: number | null; turn: number; lean: number };
  /** Recognition ran on the page's picture and found no text. */
  nothingRecognised?: boolean;
}

/** First value: the words, rulings, boxes, images and links of the file, without text that is hidden from the reader. */
export interface PageText extends Pick<TextOrigin, 'invisibleCharacters' | 'turn'> {
  content: PageContent;
  /** The reason for recognition; null if the file's text is used, or the page is blank. */
  recognitionReason: RecognitionReason | null;
}

/** Second value: the same page with recognised words if the file has none, or none that are readable. */
export interface RecognisedPage extends TextOrigin {
  content: PageContent;
}

/** Third value: the words of tables, listings and tables of contents, and the layout prediction for the other lines. */
export interface PageRegions extends TextOrigin {
  /** The page without the words of its tables of contents and the line numbers of its listings. It still contains the words of tables and listings. */
  content: PageContent;
  contents: Contents | null;
  listings: Listing[];
  tables: FoundTable[];
  /** Null if the network did not run or predicts nothing. */
  prediction: LayoutPrediction | null;
}

/**
 * Fourth value: the page in the form of the document-wide passes: text lines without words, tables, figures and separators. These passes determine columns and reading order,
 * because both depend on furniture, which only all pages together show.
 */
export interface PageStructure extends TextOrigin {
  pageIndex: number;
  width: number;
  height: number;
  /** Text lines, and their pieces between wide gaps: with the text of figures, without that of tables. */
  pieces: TextLine[];
  tables: PageTable[];
  figures: FigureRegion[];
  separators: Separator[];
  columnRules: ColumnRule[];
  cardRows: CardRow[];
  /** Fills and frames with text on them. */
  panels: Box[];
  /** Characters that were left out because they are invisible, by reason. */
  hidden: HiddenText;
  characters: number;
  /** Characters without a Unicode value in the file. */
  unmappedCharacters: number;
  /** Share of the page that pictures cover, 0..1. */
  pictureCoverage: number;
  /** The relation network's decision, which takes the place of tables, pieces and figures; absent if it did not run. */
  decision?: PageDecision;
  /** The links of the page, for the decision. */
  links?: Link[];
}
