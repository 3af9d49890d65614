/** Second step of a page: recognises text in its picture, for the whole page, for single lines, or for pictures on it. */
import type { PageContent } from '../../pdf/pdf-page.js';
import { conversionError } from '../failures.js';
import { agrees } from '../ocr/agreement.js';
import { boxAround, linesOnPage, partOf } from '../ocr/page-part.js';
import { mayHoldText, readPagePictures } from '../ocr/page-pictures.js';
import { readPicture } from '../ocr/read-picture.js';
import type { PictureReader } from '../ocr/read-picture.js';
import { isRecogniser } from '../ocr/recogniser.js';
import type { NoRecogniser } from '../ocr/recogniser.js';
import { unreadableLines, withReadLines } from '../ocr/unreadable.js';
import type { RecognitionReason } from '../page/recognition-reason.js';
import type { PageText, RecognisedPage, TextOrigin } from '../page/values.js';
import type { ConversionError } from '../result.js';
import { orFallback } from './step-context.js';
import type { StepContext } from './step-context.js';

/** The least confidence at which recognised text replaces a text layer that forms no words. */
const sureOfWords = 0.85;
/** Margins of lines that are recognised separately: around them in sizes, and behind them in lengths, because characters without a Unicode value may have too small widths. */
const roomAround = 3;
const roomBehind = 0.5;

/** The result of recognition for a page, and whether the file's own text is still part of it. */
interface Recognition {
  content: PageContent;
  isPartial: boolean;
  recognised: NonNullable<TextOrigin['recognised']>;
}

/** False if recognise() would return the page unchanged. */
export function mayRecognise({ content, recognitionReason }: PageText, { options }: StepContext): boolean {
  return recognitionReason !== null || options.doOcr && (mayHoldText(content) || unreadableLines(content).length > 0);
}

/** The page unchanged, for pages that are not recognised. */
export function asRecognised({ content, invisibleCharacters, turn }: PageText): RecognisedPage {
  return { content, invisibleCharacters, ...(turn !== undefined && { turn }) };
}

/** The page with recognised text, or unchanged if recognition finds nothing better. Rejects as drawing and recognising a whole page do; failures for parts of a page are reported. */
export async function recognise(text: PageText, context: StepContext): Promise<RecognisedPage> {
  const { content, recognitionReason } = text;
  const found = recognitionReason === null ? await recogniseParts(content, context) : await recognisePage(content, recognitionReason, context);
  const page = asRecognised(text);
  if (found === null) return page;
  if (found === 'nothing') return { ...page, nothingRecognised: true };
  return { ...page, content: found.content, invisibleCharacters: found.isPartial ? page.invisibleCharacters : 0, recognised: found.recognised };
}

/** The request's recogniser, ready to read pictures. */
async function findReader({ options, ports }: StepContext): Promise<PictureReader | NoRecogniser> {
  const recogniser = await ports.recognisers.find(options.ocrPreset, options.ocrLanguages);
  return isRecogniser(recogniser) ? { recogniser, engine: ports.engine, signal: ports.signal, lineVotes: ports.lineVotes ?? null } : recogniser;
}

/** For a page with good text: recognises unreadable lines, otherwise text in its pictures; null if there is neither. */
async function recogniseParts(content: PageContent, context: StepContext): Promise<Recognition | null> {
  return await recogniseLines(content, context) ?? await recognisePictures(content, context);
}

/** The page with the text of its pictures; null if there is none, or no recogniser. */
async function recognisePictures(content: PageContent, context: StepContext): Promise<Recognition | null> {
  if (!context.options.doOcr || !mayHoldText(content)) return null;
  const reader = await findReader(context);
  if (!('recogniser' in reader)) return null;
  const read = await orFallback(null, content.pageIndex, context, context.timings.measure('read_picture', 'page', () => readPagePictures(context.pages, content, reader)));
  return read === null ? null : { content: read.content, isPartial: true, recognised: { by: reader.recogniser.name, confidence: read.confidence, turn: 0, lean: 0 } };
}

/** The whole page from its picture; null if that is no better than the file's text, `nothing` if the picture contains no text. */
async function recognisePage(content: PageContent, why: RecognitionReason, context: StepContext): Promise<Recognition | 'nothing' | null> {
  const { pages, timings, errors } = context;
  const reader = await findReader(context);
  if (!('recogniser' in reader)) {
    // Letters that form no words may be correct.
    if (why !== 'suspect') errors.push(notRecognised(content.pageIndex, why, reader.reason));
    return null;
  }
  const read = await timings.measure('read_picture', 'page', () => readPicture(pages, content, reader));
  const { confidence, turn, lean } = read;
  const damage = pages.damage?.(content.pageIndex) ?? null;
  if (damage !== null) errors.push(conversionError('document_backend', 'image', 'backend_failure', damage, content.pageIndex + 1));
  if (why === 'suspect' && (confidence ?? 0) < sureOfWords) return null;
  if (read.content.words.length === 0 && why !== 'forced') return 'nothing';
  // Wrong characters of the file differ from the recognised ones; if both agree, those of the file are exact.
  if ((why === 'garbled' || why === 'suspect') && agrees(content.words, read.content.words)) return null;
  return { content: read.content, isPartial: false, recognised: { by: reader.recogniser.name, confidence, turn, lean } };
}

/** The page with those lines recognised that lack characters in the file; null if there are none, or no recogniser. */
async function recogniseLines(content: PageContent, context: StepContext): Promise<Recognition | null> {
  const lines = context.options.doOcr ? unreadableLines(content) : [];
  if (lines.length === 0) return null;
  const reader = await findReader(context);
  if (!('recogniser' in reader)) return null;
  const box = boxAround(lines, { around: roomAround, behind: roomBehind }, content);
  const part = partOf(context.pages, content, box);
  const { content: read, confidence, lean } = await context.timings.measure('read_picture', 'page', () => readPicture(part.pages, part.content, { ...reader, onlyUpright: true }));
  const mended = withReadLines(content, lines, linesOnPage(read.lines, box));
  return mended === null ? null : { content: mended, isPartial: true, recognised: { by: reader.recogniser.name, confidence, turn: 0, lean } };
}

/** The error entry of a page without a recogniser. */
function notRecognised(pageIndex: number, why: Exclude<RecognitionReason, 'suspect'>, reason: string): ConversionError {
  const what = {
    scan: 'has no text layer', stamped: 'is a picture with little text on it', outlines: 'has its letters as drawings', garbled: 'has a text layer whose letters the file does not tell', forced: 'was to be read from its picture',
  }[why];
  const left = why === 'scan' || why === 'outlines' ? 'it is kept as a picture' : 'its text layer is used as it is';
  return conversionError('model', 'text_recogniser', 'inference_failure', `Page ${pageIndex + 1} ${what}, and ${reason}: ${left}.`, pageIndex + 1);
}
