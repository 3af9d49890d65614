/** Tests whether letters whose Unicode values PDFium guessed form a language: most such guesses are right. */

/** Frequent pairs of the languages in Latin script; about half of all pairs in real text, a fourteenth in random letters. */
const frequentPairs = new Set(
  ('th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ' +
    'la el ue os da do ao em ie ei ge un au be sc di it tr no ta na ni us um am ad ec ss il ll ke va ko po pr').split(' '),
);
/** Guesses from glyph numbers are spread over the scripts. */
const otherScripts = [
  /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Arabic}/u, /\p{Script=Hebrew}/u, /\p{Script=Hangul}/u, /\p{Script=Thai}/u, /\p{Script=Devanagari}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
];
const ONE_SCRIPT = 0.95;
const LEAST_LETTERS = 20;
const LEAST_FREQUENT = 0.25;

/** `text` is all doubtful text of one font, in order. Short texts are accepted. */
export function readsLikeText(text: string): boolean {
  const letters = [...text].filter((character) => /\p{L}/u.test(character));
  if (letters.length < LEAST_LETTERS) return letters.length * 2 >= text.length || /^[\p{N}\p{P}\p{S}\p{L}]+$/u.test(text);
  if (otherScripts.some((script) => letters.filter((letter) => script.test(letter)).length >= ONE_SCRIPT * letters.length)) return true;
  const latin = text.toLowerCase().match(/\p{Script=Latin}+/gu)?.join('') ?? '';
  if (latin.length < 0.8 * letters.length) return false;
  let frequent = 0;
  for (let index = 1; index < latin.length; index++) if (frequentPairs.has(latin.slice(index - 1, index + 1))) frequent++;
  return frequent >= LEAST_FREQUENT * (latin.length - 1);
}
