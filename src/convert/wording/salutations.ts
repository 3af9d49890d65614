/** Salutations: the first line of a letter. Only its words distinguish it from the text below. */

const openings = [
  'dear', 'hello', 'hi', 'to whom it may concern', 'ladies and gentlemen',
  'sehr (?:ge|ver)ehrte[rsn]?', 'liebe[rs]?', 'guten (?:tag|morgen)', 'hallo', 'grüezi', 'werte[rs]?',
  'madame', 'monsieur', 'mesdames', 'messieurs', 'chère?s?', 'bonjour',
  'estimad[oa]s?', 'querid[oa]s?', 'muy señor(?:es)? míos?', 'distinguid[oa]s?',
  'gentil[ei]', 'egregi[oa]?', 'spett(?:abile|\\.le)', 'car[oaie]', 'buongiorno',
  'prezad[oa]s?', 'ex\\.?m[oa]s?\\.?', 'car[oa]s',
  'kære', 'kjære', 'bästa', 'bäste', 'hej', 'hei', 'geachte', 'beste',
  'szanown[aiye]', 'szanowni', 'drog[aie]', 'vážen[ýáí]', 'mil[ýáíé]', 'dobrý den',
];
const salutation = new RegExp(`^(?:${openings.join('|')})(?!\\p{L}).{0,70}[,!:，：]$`, 'iu');

export function isSalutation(text: string): boolean {
  // No second sentence follows; `Dr.` does not end a sentence.
  return salutation.test(text.trim()) && !/[.?!] /u.test(text.replace(/\b\p{L}{1,4}\. /gu, ''));
}
