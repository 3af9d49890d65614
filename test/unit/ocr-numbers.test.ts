/** Digits that were read as letters. */
import t from 'tap';
import { asNumber } from '../../src/convert/ocr/numbers.js';

t.test('a number by all its other signs has digits for letters', async (t) => {
  const cases = { '2o0o': '2000', '400o': '4000', '8.18OE-07': '8.180E-07', '7.1oE-07': '7.10E-07', '1.i08E-06': '1.108E-06', '1.O80E-06)': '1.080E-06)', 'l998': '1998', '(2Ol5),': '(2015),', '1.5e+O2': '1.5e+02', '-1O,5O0': '-10,500', '10.O3l7': '10.0317', '1.2E-l0': '1.2E-10', 'O.85': '0.85', '1l7': '117', '2OO5': '2005' };
  for (const [read, meant] of Object.entries(cases)) t.equal(asNumber(read), meant);
});

t.test('words, units, ordinals and names are left as they are', async (t) => {
  for (const word of ['', 'o', 'Il', 'io', '1o', '10o', '2O.', '1l', '100l', '5l', 'H2O', 'CO2', 'O2', '3D', '1e', '2nd', 'B1O', '12i', '1–l', '...', '2000', '−5', '1.2E-07', 'iOS', '4o-6x', 'i10', 'i386', 'O157', 'I131', 'O18', 'i5-10', '12-O', 'II.12', 'I.1.2', 'i.10', '3.I.2', 'l0-12']) t.equal(asNumber(word), word, word);
});
