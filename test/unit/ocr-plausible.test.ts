/** Text of many languages against the same with its letters exchanged, and against lists that are no language. */
import t from 'tap';
import { isNoLanguage } from '../../src/convert/ocr/plausible.js';
import type { Word } from '../../src/pdf/pdf-page.js';

const wordsOf = (text: string): Word[] => text.split(' ').map((part) => ({ text: part }) as Word);
const long = (text: string): string => Array.from({ length: Math.ceil(60 / text.split(' ').length) }, () => text).join(' ');

const sentences: Record<string, string> = {
  English: 'The harbour of the town was built in the last century and is still used by small boats that carry coal to the islands.',
  German: 'Der Hafen der Stadt wurde im letzten Jahrhundert gebaut und wird noch von kleinen Booten benutzt, die Kohle zu den Inseln bringen.',
  French: 'Le port de la ville a été construit au siècle dernier et sert encore aux petits bateaux qui portent du charbon dans les îles.',
  Spanish: 'El puerto de la ciudad fue construido en el siglo pasado y todavía lo usan los barcos pequeños que llevan carbón a las islas.',
  Italian: 'Il porto della città fu costruito nel secolo scorso ed è ancora usato dalle piccole barche che portano carbone alle isole.',
  Portuguese: 'O porto da cidade foi construído no século passado e ainda é usado por pequenos barcos que levam carvão para as ilhas.',
  Dutch: 'De haven van de stad werd in de vorige eeuw gebouwd en wordt nog gebruikt door kleine boten die kolen naar de eilanden brengen.',
  Swedish: 'Stadens hamn byggdes under förra seklet och används ännu av små båtar som för kol till öarna när det är lugnt.',
  Polish: 'Port w mieście został zbudowany w zeszłym wieku i jest nadal używany przez małe łodzie, które wożą węgiel na wyspy.',
  Czech: 'Přístav ve městě byl postaven v minulém století a stále jej používají malé lodě, které vozí uhlí na ostrovy a zpět do města.',
  Finnish: 'Kaupungin satama rakennettiin viime vuosisadalla ja sitä käyttävät yhä pienet veneet, jotka vievät hiiltä saarille ja se on hyvä.',
  Hungarian: 'A város kikötője a múlt században épült, és még mindig kis hajók használják, amelyek szenet visznek a szigetekre, ez egy jó hely.',
  Turkish: 'Şehrin limanı geçen yüzyılda yapıldı ve adalara kömür taşıyan küçük tekneler için bir yer olarak hâlâ kullanılıyor.',
  Vietnamese: 'Bến cảng của thành phố được xây dựng trong thế kỷ trước và các thuyền nhỏ chở than cho đảo là khách của nó.',
};

/** Each letter as the one so many places on; 29 places back in the table of characters is what fonts without such a table give most often. */
function shifted(text: string, by: number): string {
  return text.replace(/[a-z]/gu, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + by) % 26)));
}

t.test('running text is language, the same with exchanged letters is none', (t) => {
  for (const [language, sentence] of Object.entries(sentences)) t.equal(isNoLanguage(wordsOf(long(sentence))), false, language);
  const glyphs = [...long(sentences['English']!)].map((letter) => (letter === ' ' ? ' ' : String.fromCharCode(letter.charCodeAt(0) - 29))).join('');
  t.equal(isNoLanguage(wordsOf(glyphs)), true, 'numbers of glyphs as letters');
  for (const by of [1, 2, 3, 5, 9]) t.equal(isNoLanguage(wordsOf(shifted(long(sentences['English']!.toLowerCase()), by))), true, `letters moved by ${by}`);
  t.end();
});

t.test('a few words, other scripts, numbers and lists of names are not suspected', (t) => {
  const kept: Record<string, string> = {
    'a few words': 'Xvw Qrt Plk Zzz Brrr', numbers: long('12.5 13.7 9.81 44.2 17 (kg) 2024'), Greek: long('Το λιμάνι της πόλης χτίστηκε τον περασμένο αιώνα'),
    'Greek with codes': long('Το λιμάνι της πόλης χτίστηκε XTR BPL τον περασμένο αιώνα και χρησιμοποιείται'), names: long('Anna Maria Oliver Santos Ines Teodora Emil Ivana Laura Benito Olga Renata'),
  };
  for (const [name, text] of Object.entries(kept)) t.equal(isNoLanguage(wordsOf(text)), false, name);
  t.end();
});
