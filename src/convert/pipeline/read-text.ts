/** First step of a page: its text from the file, rotated upright if it is sideways in the file. */
import { recognitionReason } from '../decide/recognition-reason.js';
import { readableText } from '../layout/invisible-text.js';
import { turnOf } from '../layout/sideways.js';
import type { ConvertOptions } from '../options.js';
import type { PageText } from '../page/values.js';
import type { StepPages } from './step-context.js';

export interface ReadText {
  text: PageText;
  /** The pages from which `text` was read, for drawing: the document's pages, rotated if the page was. */
  pages: StepPages;
}

/** `read` reads the page from the given pages. Rejects as reading does. */
export async function readText(
  pages: StepPages, options: Pick<ConvertOptions, 'doOcr' | 'forceOcr'>, read: (pages: StepPages) => ReturnType<StepPages['readPage']>,
): Promise<ReadText> {
  const upright = readableText(await read(pages));
  const reason = recognitionReason(upright.content, options);
  const turn = reason === null ? turnOf(upright.content) : 0;
  const turned = turn === 0 ? undefined : pages.turned?.(turn);
  if (turned === undefined) return { text: { ...upright, recognitionReason: reason }, pages };
  return { text: { ...readableText(await read(turned)), turn, recognitionReason: null }, pages: turned };
}
