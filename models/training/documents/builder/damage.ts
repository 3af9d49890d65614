/** Damage of finished pages: features as bad files give them. Labels stay with their words. */
import type { Font, Word } from '../../../../src/pdf/index.js';
import { unionBox } from '../../../../src/geometry/box.js';
import type { Drop, LabelledPage, LabelledWord } from './label-page.js';
import { scanPage } from './scan.js';
import type { PageDrawing } from './scan.js';

/** `fonts`: names, weight and slant are lost, as of fonts that were cut to their glyphs. `spaces`: words are joined and cut. `rules`: rulings and fills are lost. `scan`: the page as a scan with recognised words. */
export const damages = ['none', 'fonts', 'spaces', 'rules', 'scan'] as const;
export type Damage = (typeof damages)[number];

/** Shares: of neighbours that are joined, of words that are cut, of pages that lose all rulings, of rulings that the other pages lose. */
const JOINED = 0.06;
const CUT = 0.04;
const WITHOUT_RULES = 0.5;
const LOST = 0.4;
/** Characters of the shortest word that is cut. */
const SHORTEST_CUT = 4;

export async function damagePage(page: LabelledPage, damage: Damage, random: () => number, draw: PageDrawing): Promise<LabelledPage | Drop> {
  switch (damage) {
    case 'none':
      return page;
    case 'fonts':
      return cutFonts(page);
    case 'spaces':
      return { ...page, words: cutWords(joinWords(page.words, random), random) };
    case 'rules': {
      const all = random() < WITHOUT_RULES;
      const { rulings, boxes } = page.content;
      return { ...page, content: { ...page.content, rulings: rulings.filter(() => !all && random() >= LOST), boxes: boxes.filter(() => !all && random() >= LOST) } };
    }
    case 'scan':
      return scanPage(page, random, draw);
  }
}

function cutFonts(page: LabelledPage): LabelledPage {
  const cut = new Map<Font, Font>();
  const cutFont = (font: Font): Font => {
    let known = cut.get(font);
    if (known === undefined) cut.set(font, (known = { name: `F${cut.size + 1}`, weight: 400, bold: false, italic: false, monospace: font.monospace, symbolic: false }));
    return known;
  };
  return { ...page, words: page.words.map((labelled) => ({ ...labelled, word: { ...labelled.word, font: cutFont(labelled.word.font) } })) };
}

/** Joins neighbours of one text line, font and size. */
function joinWords(words: readonly LabelledWord[], random: () => number): LabelledWord[] {
  const out: LabelledWord[] = [];
  for (const labelled of words) {
    const last = out.at(-1);
    const fits = last !== undefined && last.line === labelled.line && last.word.font === labelled.word.font && last.word.size === labelled.word.size && last.word.angle === 0 && last.word.box.right <= labelled.word.box.left;
    if (!fits || random() >= JOINED) {
      out.push(labelled);
      continue;
    }
    const longer = last.word.text.length >= labelled.word.text.length ? last : labelled;
    const word: Word = { ...last.word, text: last.word.text + labelled.word.text, box: unionBox([last.word.box, labelled.word.box]), softHyphen: labelled.word.softHyphen };
    out[out.length - 1] = { ...last, word, leaf: longer.leaf, mixed: last.mixed || labelled.mixed || last.leaf !== labelled.leaf, characters: last.characters + labelled.characters };
  }
  return out;
}

function cutWords(words: readonly LabelledWord[], random: () => number): LabelledWord[] {
  return words.flatMap((labelled) => {
    const { word } = labelled;
    const letters = [...word.text];
    if (letters.length < SHORTEST_CUT || word.angle !== 0 || random() >= CUT) return [labelled];
    const at = 1 + Math.floor(random() * (letters.length - 1));
    const { box } = word;
    const middle = box.left + ((box.right - box.left) * at) / letters.length;
    return [
      { ...labelled, word: { ...word, text: letters.slice(0, at).join(''), box: { ...box, right: middle }, softHyphen: false }, characters: at },
      { ...labelled, word: { ...word, text: letters.slice(at).join(''), box: { ...box, left: middle }, glued: false, order: word.order + 0.5 }, characters: letters.length - at },
    ];
  });
}
