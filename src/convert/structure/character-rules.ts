/** Finds drawn lines that consist of one character repeated down the page, as courts set them between the parties and the case. */
import { areLevel, fromTop } from '../page/group-by-baseline.js';
import { baselineTolerances } from '../page/tolerances.js';
import type { TextLine } from '../page/text-line.js';
import type { PageLines } from './style.js';

const fewest = 4;
/** In ems, from one character to the next. */
const farthest = 3;
/** A page with more such characters is a drawing. */
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

/** Whether half of the characters have text at their left. Colons and bars of forms also have text at their right, and brackets of check boxes have an opening bracket before them. */
function standsBesideText(run: TextLine[], lines: TextLine[]): boolean {
  const having = (isBeside: (line: TextLine, sign: TextLine) => boolean): number => run.filter((sign) => lines.some((line) => areLevel(sign, line, baselineTolerances.line) && isBeside(line, sign))).length;
  if (run[0]!.text === ')' ? having(({ box, text }, sign) => box.left < sign.box.left && text.lastIndexOf('(') > text.lastIndexOf(')')) > 0 : having(({ box, text }, sign) => box.left > sign.box.left && text.length > 1) >= 0.5 * run.length) return false;
  return having((line, sign) => line.box.right < sign.box.left && /\p{L}{2}/u.test(line.text)) >= 0.5 * run.length;
}
