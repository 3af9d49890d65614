/** What captions begin with, in many languages: `Figure 3`, `Tabelle 2:`, `Source:`. */

const figureWord = 'figures?|fig|abbildung|abb|figura|graphique|diagramm?|chart|image|photo|plate|scheme|box|map|exhibit|obrázek|obr|graf|rysunek|rys|slika|afbeelding|рис|рисунок|图|図|圖';
const tableWord = 'tables?|tab|tabelle|tableau|tabla|tabella|tabela|tabulka|tabel|таблица|табл|表';
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

/** A caption's number and what stands behind it: `2` and `Yields` of `Table 2: Yields`. */
export function captionLabel(text: string): { label: string; title: string } | null {
  const match = numbered.exec(text);
  return match === null ? null : { label: match[1]!, title: text.slice(match[0].length) };
}

/** The text begins as captions do. */
export function isCaptionText(text: string): boolean {
  const kind = captionKind(text);
  return kind === 'figure' || kind === 'table';
}

const labelAlone = new RegExp(`^(?:${figureWord}|${tableWord})(?!\\p{L})\\.?\\s*${label}\\s*[.:]?$`, 'iu');

/** `Table 1` by itself: what it shows is said below. */
export function isLabelAlone(text: string): boolean {
  return labelAlone.test(text);
}
