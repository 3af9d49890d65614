/** Detects text layers whose letters do not form words of a language: a font with a broken character map gives other letters than it shows. */
import type { Word } from '../../pdf/pdf-page.js';

/** Fewer words of at least two letters, or fewer letters in them, do not suffice for a decision. */
const fewestWords = 40;
const fewestLetters = 150;
/** Shares in running text of languages in Latin script: of vowels 0.35 to 0.52, of the words below 0.15 to 0.5. Random letters reach 0.04 of these words, seldom 0.08. */
const usualVowels = { least: 0.33, most: 0.58 };
const leastCommon = 0.09;

const vowel = /[aeiouy]/u;
/** Some of the most frequent words of languages in Latin script. */
const common = new Set(`the of and to in is that for it as with on by this are be or at from
  der die das und von zu den mit ist auf für ein eine des dem sich nicht im
  de la le les et des en du que un une pour dans est par sur au
  el los las del y por con para una es se al no
  il di che per non della dei con gli sono alla
  os da do em uma não com ao dos
  van het een op te dat voor zijn met niet
  og at av til som det er på af ikke har om att för med inte och den ett
  na się nie jest do od że przez oraz po za pro ve že je se jako nebo
  ja on ei se että oli ovat mutta kuin
  az egy és hogy nem meg ez is bir bu ile için olarak da ne gibi
  și în cu pe nu din care este yang dan di dengan untuk ini pada
  su koji iz kao ali za sa ir kad yra buvo un ka ar no ir nav
  và là của có trong cho các dhe një të për me in non cum ad esse quod`.split(/\s+/u));

function bare(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

/** Whether there are enough Latin letters, hardly a word of any language among them, and too few or too many vowels. This finds four of five permutations of letters, but also lists of codes. */
export function isNoLanguage(words: readonly Word[]): boolean {
  let [counted, frequent, letters, vowels, all] = [0, 0, 0, 0, 0];
  for (const { text } of words) {
    all += text.match(/\p{L}/gu)?.length ?? 0;
    for (const [word] of text.matchAll(/\p{Script=Latin}{2,}/gu)) {
      counted++;
      if (common.has(word.toLowerCase())) frequent++;
      for (const letter of bare(word)) {
        letters++;
        if (vowel.test(letter)) vowels++;
      }
    }
  }
  if (counted < fewestWords || letters < fewestLetters || letters < 0.7 * all || frequent >= leastCommon * counted) return false;
  const share = vowels / letters;
  return share < usualVowels.least || share > usualVowels.most;
}
