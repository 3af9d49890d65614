/** Vertical writing: turns characters one below the other into lines that run downwards. */
import { FULL_TURN, THREE_QUARTER_TURN } from './angles.js';
import type { Glyph } from './glyph.js';
import { direction } from './text-runs.js';
import type { TextRun } from './text-runs.js';

/** In ems, from one character to the next: the least distance downwards, and the largest sideways. */
const STEP_DOWN = 0.3;
const STEP_ASIDE = 0.3;

/** Text objects whose upright characters stand one below the other are vertical writing: their lines run downwards. */
export function turnVertical(glyphs: Glyph[]): Glyph[] {
  const votes = new Map<TextRun, number>();
  for (let index = 1; index < glyphs.length; index++) {
    const [before, glyph] = [glyphs[index - 1], glyphs[index]];
    if (before === undefined || glyph === undefined || before.run !== glyph.run) continue;
    const { size } = glyph.run;
    const below = Math.abs(glyph.v - before.v) > STEP_DOWN * size && Math.abs((glyph.u0 + glyph.u1 - before.u0 - before.u1) / 2) < STEP_ASIDE * size;
    votes.set(glyph.run, (votes.get(glyph.run) ?? 0) + (below ? 1 : -1));
  }
  const vertical = new Set([...votes].filter(([, count]) => count > 0).map(([run]) => run));
  for (const run of stackedCharacters(glyphs)) vertical.add(run);
  if (vertical.size === 0) return glyphs;
  for (const run of vertical) Object.assign(run, direction((run.angle + THREE_QUARTER_TURN) % FULL_TURN));
  for (const glyph of glyphs) {
    if (!vertical.has(glyph.run)) continue;
    const [u0, u1, v] = [glyph.u0, glyph.u1, glyph.v];
    glyph.u1 = v;
    glyph.u0 = v - glyph.run.size;
    glyph.v = -(u0 + u1) / 2 - 0.5 * glyph.run.size;
  }
  return glyphs;
}

const ideograph = /^[\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff60]$/;
/** The number of characters painted one below another from which a page counts as vertical; then two characters suffice for a line. */
const LEAST_STACK = 8;
/** In ems: from one character to the next below it. */
const STACK_PITCH = { least: 0.8, most: 1.4 };

/** Runs of one character each that are painted one below the other: browsers write vertical text in this way. */
function stackedCharacters(glyphs: Glyph[]): TextRun[] {
  const stacks: TextRun[][] = [];
  let stack: TextRun[] = [];
  for (const [index, glyph] of glyphs.entries()) {
    const before = glyphs[index - 1];
    if (before === undefined || !standsBelow(before, glyph)) stacks.push((stack = []));
    if (glyph.run.angle === 0 && ideograph.test(glyph.text)) stack.push(glyph.run);
  }
  const isVertical = stacks.some((each) => each.length >= LEAST_STACK);
  return isVertical ? stacks.filter((each) => each.length >= 2).flat() : [];
}

function standsBelow(before: Glyph, glyph: Glyph): boolean {
  const { run, v, u0 } = glyph;
  const pitch = (v - before.v) / run.size;
  return before.run !== run && before.run.font === run.font && Math.abs(before.run.size - run.size) < 0.01 * run.size && ideograph.test(before.text) && ideograph.test(glyph.text)
    && pitch > STACK_PITCH.least && pitch < STACK_PITCH.most && Math.abs(u0 - before.u0) < 0.3 * run.size;
}
