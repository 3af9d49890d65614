/**
 * The four values that a page passes through: its text as the file has it, the text after recognition, the regions in it, and its structure. Each step of the page pipeline makes the
 * next value from the one before and changes none. Lengths are points (1/72 inch), measured from the top left corner of the upright page; page indices count from 0.
 */
import type { Box } from '../../geometry/box.js';
import type { HiddenText, PageContent, QuarterTurn } from '../../pdf/pdf-page.js';
import type { RecognitionReason } from './recognition-reason.js';
import type { FoundTable } from './found-table.js';
import type { LayoutPrediction } from './layout-prediction.js';
import type { PageTable } from './page-table.js';
import type { CardRow, ColumnRule, Contents, FigureRegion, Listing, Separator } from './regions.js';
import type { TextLine } from './text-line.js';

/** Where the text of a page comes from. */
export interface TextOrigin {
  /** Characters that the text layer draws invisibly and that were kept, as those of a scan's own layer. */
  invisibleCharacters: number;
  /** Degrees by which the page was turned clockwise before its text was read from the file; absent: not at all. */
  turn?: QuarterTurn;
  /** Where text was recognised in the page's picture: by which recogniser, with which confidence (0..1), and by how much the picture was turned (degrees clockwise) and leaned (degrees, counter-clockwise). */
  recognised?: { by: string; confidence: number | null; turn: number; lean: number };
  /** Recognition ran on the page's picture and found no text. */
  nothingRecognised?: boolean;
}

/** First value: the words, rulings, boxes, images and links of the file, without text that hides from the reader. */
export interface PageText extends Pick<TextOrigin, 'invisibleCharacters' | 'turn'> {
  content: PageContent;
  /** Why the page's picture must be recognised; null where the file's text is used, or the page is blank. */
  recognitionReason: RecognitionReason | null;
}

/** Second value: the same page with recognised words where the file has none, or none that can be read. */
export interface RecognisedPage extends TextOrigin {
  content: PageContent;
}

/** Third value: which words are tables, listings and tables of contents, and what the layout network predicts of the other lines. */
export interface PageRegions extends TextOrigin {
  /** The page without the words of its tables of contents and the line numbers of its listings. Words of tables and listings are still among its words. */
  content: PageContent;
  contents: Contents | null;
  listings: Listing[];
  tables: FoundTable[];
  /** Null where the network was not asked or predicts nothing. */
  prediction: LayoutPrediction | null;
}

/**
 * Fourth value: the page as the document-wide passes need it: text lines without their words, tables, figures and separators. Columns and reading order follow in those passes,
 * because they depend on which lines are furniture, which only all pages together show.
 */
export interface PageStructure extends TextOrigin {
  pageIndex: number;
  width: number;
  height: number;
  /** Text lines, and the pieces of such as wide white space parts; text of tables is not among them, text of figures is. */
  pieces: TextLine[];
  tables: PageTable[];
  figures: FigureRegion[];
  separators: Separator[];
  columnRules: ColumnRule[];
  cardRows: CardRow[];
  /** Fills and frames that text may stand on. */
  panels: Box[];
  /** Characters that were left out because no reader sees them, by reason. */
  hidden: HiddenText;
  characters: number;
  /** Characters whose Unicode value the file does not give. */
  unmappedCharacters: number;
  /** Share of the page that pictures cover, 0..1. */
  pictureCoverage: number;
}
