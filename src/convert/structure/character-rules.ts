/** Lines down the page made of one character again and again, as courts set them between the parties and the case: drawn, not written. */
import { areLevel, fromTop } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import type { TextLine } from '../page/text-line.js';
import type { PageLines } from './style.js';

const fewest = 4;
/** In ems, from one character to the next. */
const farthest = 3;
/** More characters on a page are a drawing. */
const most = 300;

/** The characters of such lines on all pages. */
export function findSignRules(pages: PageLines[]): TextLine[] {
  return pages.flatMap(({ outside }) => {
    const signs = fromTop(outside.filter(({ text, angle, monospace }) => angle === 0 && !monospace && /^[)|§:¦]$/u.test(text)));
    const open = new Map<string, TextLine[][]>();
    for (const line of signs.length > most ? [] : signs) {
      const runs = open.get(line.text) ?? [];
      open.set(line.text, runs);
      const run = runs.findLast((own) => Math.abs(own.at(-1)!.box.left - line.box.left) < 1.5 && line.baseline - own.at(-1)!.baseline < farthest * line.size);
      if (run === undefined) runs.push([line]);
      else run.push(line);
    }
    return [...open.values()].flat().filter((run) => run.length >= fewest && standsBesideText(run, outside)).flat();
  });
}

/** Of the characters half have text at their left. Colons and bars of forms have text at their right, too, and brackets of check boxes an open one before them. */
function standsBesideText(run: TextLine[], lines: TextLine[]): boolean {
  const having = (isBeside: (line: TextLine, sign: TextLine) => boolean): number => run.filter((sign) => lines.some((line) => areLevel(sign, line, baselineTolerances.line) && isBeside(line, sign))).length;
  if (run[0]!.text === ')' ? having(({ box, text }, sign) => box.left < sign.box.left && text.lastIndexOf('(') > text.lastIndexOf(')')) > 0 : having(({ box, text }, sign) => box.left > sign.box.left && text.length > 1) >= 0.5 * run.length) return false;
  return having((line, sign) => line.box.right < sign.box.left && /\p{L}{2}/u.test(line.text)) >= 0.5 * run.length;
}
