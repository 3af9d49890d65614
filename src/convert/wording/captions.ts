/** Recognises captions by their first words, in many languages: `Figure 3`, `Tabelle 2:`, `Source:`. The program has no other list of these words, except the one that the layout network was trained with (layout-network/text-features.ts). */

/** Words by what they name. Abbreviations may have a full stop behind them. */
const words = {
  figure: {
    whole: 'figures?|abbildung|figura|figuu?r|chart|graph|plate|scheme|exhibit|obrázek|rysunek|slika|kuva|afbeelding|рисунок|图|図|圖',
    short: 'fig|abb|obr|rys|рис',
    /** Words that also name the rows of a table: `Box 3`. So they begin a caption in running text, but not in or beside a table (`besideTable`). */
    also: 'graphique|diagramm?|image|photo|box|map|graf',
  },
  table: { whole: 'tables?|tabelle|tableau|tabla|tabella|tabela|tabulka|tabell?|taulukko|таблица|表', short: 'tab|табл' },
  /** Code listings. Their captions end a table (`isFigureOrListingCaption`), and captionKind() knows none of them: they are attached to no figure. */
  listing: 'listing|algorithm',
};
const figureWord = `${words.figure.whole}|${words.figure.short}|${words.figure.also}`;
const tableWord = `${words.table.whole}|${words.table.short}`;
const label = '(?:\\d+(?:[.\\-–]\\d+)*(?:[.\\-–]?[a-z](?!\\p{L}))*|[ivxlc]+(?!\\p{L})|[a-z](?:\\d+)?(?:[.\\-–]\\d+)*(?!\\p{L}))';
const named = new RegExp(`^(?:(${figureWord})|(${tableWord}))(?!\\p{L})\\.?\\s*${label}\\s*(?:[.:|–—-]|\\s|$)`, 'iu');
const numbered = new RegExp(`^(?:${figureWord}|${tableWord})(?!\\p{L})\\.?\\s*(${label})`, 'iu');
const plainNamed = new RegExp(`^(?:(${figureWord})|(${tableWord}))(?!\\p{L})\\.?\\s*[:–—]\\s`, 'iu');
const source = /^(sources?|quellen?|fuentes?|fonte|note|notes|zdroj|bron|źródło|anmerkung(?:en)?)\s*[:.]\s/iu;
/** `Figure 3 shows …` and `Fig. 3 (left) shows …` are sentences about a figure: small letters go on from its number. */
const sentenceLabel = new RegExp(`^(?:${figureWord}|${tableWord})(?!\\p{L})\\.?\\s*${label}\\s?(?:[[(][^[\\]()]{1,20}[\\])])?`, 'iu');
const sentenceRest = /^,?\s+(?:and|or|to|also|further|clearly|then|we|shows?|presents?|illustrates?|depicts?|gives?|lists?|summari[sz]es?|compares?|reports?|contains?|displays?|provides?|demonstrates?|indicates?|suggests?|reveals?|confirms?|highlights?|describes?|represents?|plots|outlines|details|explains|is|are|was|were|has|have|can|may|below|above|zeigt|zeigen|stellt|enthält|montre|présente|muestra|mostra|in|of)\b/u;

/** A sentence that begins with the label of a figure or table. */
export function isAboutFigure(text: string): boolean {
  const [named] = sentenceLabel.exec(text) ?? [''];
  return named !== '' && sentenceRest.test(text.slice(named.trimEnd().length));
}

export type CaptionKind = 'figure' | 'table' | 'source';

/** What the text says it is a caption of, or null. */
export function captionKind(text: string): CaptionKind | null {
  if (source.test(text)) return 'source';
  if (isAboutFigure(text)) return null;
  const match = named.exec(text) ?? plainNamed.exec(text);
  if (match === null) return null;
  return match[1] !== undefined ? 'figure' : 'table';
}

/** A caption's number and the text behind it: `2` and `Yields` for `Table 2: Yields`. */
export function captionLabel(text: string): { label: string; title: string } | null {
  const match = numbered.exec(text);
  return match === null ? null : { label: match[1]!, title: text.slice(match[0].length) };
}

/** The text begins as captions do. */
export function isCaptionText(text: string): boolean {
  const kind = captionKind(text);
  return kind === 'figure' || kind === 'table';
}

/** Beside tables, where abbreviations need their full stop: `Tab 1` heads a column. */
const besideTable = {
  table: new RegExp(`^(?:${words.table.whole}|(?:${words.table.short})\\.)\\s*(?:[A-Z]{0,2}[\\s.-]?\\d|[IVXL]+\\b|[:.])`, 'iu'),
  figure: new RegExp(`^(?:${words.figure.whole}|(?:${words.figure.short})\\.|${words.listing})\\s*[A-Z]{0,2}[\\s.-]?\\d`, 'iu'),
};

/** A piece of text beside or in a table is the table's caption: `Table 2`, `Tab. IV`, `Table:`. */
export function isTableCaption(text: string): boolean {
  return besideTable.table.test(text);
}

/** `TABLE II`, `Table 3.`: the name of a table without further text. */
export function isBareCaption(text: string): boolean {
  return isTableCaption(text) && /^\p{L}+\.?\s*(?:[A-Z]{0,2}[\s.-]?\d+(?:\.\d+)*|[IVXL]+)\s*[.:]?$/u.test(text);
}

/** A piece of text beside or in a table is the caption of a figure or a listing. */
export function isFigureOrListingCaption(text: string): boolean {
  return besideTable.figure.test(text);
}

const labelAlone = new RegExp(`^(?:${figureWord}|${tableWord})(?!\\p{L})\\.?\\s*${label}\\s*[.:]?$`, 'iu');

/** `Table 1` alone: the description follows below. */
export function isLabelAlone(text: string): boolean {
  return labelAlone.test(text);
}
