/** Remarks of reviewers, as all office formats write them: a group behind the contents, each with its author and, where the file has it, its time. */
import type { DocumentBuilder, ItemOptions } from '../../document/builder.js';

export interface Remark {
  author: string;
  time?: string | undefined;
  text: string;
}

function head(author: string, time: string | undefined): string {
  const known = [author === '' ? '' : `author: ${author}`, time === undefined ? '' : `time: ${time}`].filter((part) => part !== '');
  return known.length === 0 ? 'comment' : known.join(', ');
}

/** Adds the group; nothing where no remark has words. */
export function addRemarks(builder: DocumentBuilder, remarks: Iterable<Remark>, place: ItemOptions): void {
  const said = [...remarks].filter(({ text }) => text.trim() !== '');
  if (said.length === 0) return;
  const group = builder.addGroup('comment_section', 'comments', { parent: place.parent, layer: place.layer });
  for (const { author, time, text } of said) builder.addText('text', `[${head(author, time)}]: ${text.trim()}`, { ...place, parent: group });
}
