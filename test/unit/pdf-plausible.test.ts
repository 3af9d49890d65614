/** Guessed letters that make words are believed, shifted and scrambled ones are not. */
import t from 'tap';
import { readsLikeText } from '../../src/pdf/plausible-letters.js';

const shifted = (text: string, by: number) => [...text].map((letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + by)).join('');

t.test('languages read like text', (t) => {
  for (const text of [
    'The number of pages that a reader remembers is small.', 'Die Zahl der Seiten, an die sich jemand erinnert, ist klein.', 'Le nombre de pages dont on se souvient est petit.',
    'El número de páginas que recuerda un lector es pequeño.', 'Il numero di pagine che un lettore ricorda è piccolo.', 'Antalet sidor som en läsare minns är litet och blir mindre.',
    'Počet stránek, které si čtenář pamatuje, je malý.', 'Число страниц, которые помнит читатель, невелико.', '読者が覚えている頁の数は少なく、日ごとに減っていくものである。',
    'THE CAPITAL LETTERS OF A HEADING READ AS WELL',
  ]) t.equal(readsLikeText(text.replace(/ /g, '')), true, text);
  t.end();
});

t.test('glyph numbers taken for letters do not', (t) => {
  for (const by of [-29, 3, 31, 500]) t.equal(readsLikeText(shifted('enhancetheperformanceofyourdatabaseoperations', by)), false, `shifted by ${by}`);
  t.equal(readsLikeText('zqxkvjwpfbgyzxqkjvwpbfgzq'), false);
  t.end();
});

t.test('a few signs get the benefit of the doubt', (t) => {
  t.equal(readsLikeText('x2+y'), true);
  t.equal(readsLikeText('12.5'), true);
  t.end();
});
