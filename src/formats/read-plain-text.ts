/** Plain text as blocks: paragraphs between empty lines, their lines as they are. */
import type { FlowBlock } from './flow/flow-blocks.js';

/** The blocks of a text that has no markup. A form feed ends a paragraph. */
export function readPlainText(text: string): FlowBlock[] {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\f/g, '\n\n').split('\n');
  const blocks: FlowBlock[] = [];
  let open: string[] = [];
  const close = (): void => {
    if (open.length > 0) blocks.push({ kind: 'paragraph', runs: [{ text: open.join('\n') }] });
    open = [];
  };
  for (const line of lines) {
    if (line.trim() === '') close();
    else open.push(line.trim());
  }
  close();
  return blocks;
}
