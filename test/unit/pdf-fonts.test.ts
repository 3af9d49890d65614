/** Font names, flags and weights as producers write them, and what they mean. */
import t from 'tap';
import { describeFont } from '../../src/pdf/fonts.js';

const NONSYMBOLIC = 32;

t.test('weight and slant by name', (t) => {
  const cases: [name: string, weight: number, italic: boolean][] = [
    ['ABCDEF+Helvetica-Bold', 700, false], ['Helvetica', 400, false], ['Arial,BoldItalic', 700, true], ['ArialMT', 400, false], ['Arial-BoldMT', 700, false],
    ['TimesNewRomanPS-BoldItalicMT', 700, true], ['TimesNewRomanPSMT', 400, false], ['NimbusRomNo9L-Medi', 700, false], ['NimbusRomNo9L-MediItal', 700, true],
    ['NimbusRomNo9L-ReguItal', 400, true], ['NimbusRomNo9L-Regu', 400, false], ['CMBX12', 700, false], ['CMR10', 400, false], ['CMTI10', 400, true], ['CMBXTI10', 700, true],
    ['CMMI10', 400, true], ['SFBX1000', 700, false], ['SFTI1000', 400, true], ['OpenSans-SemiBold', 600, false], ['Roboto-Black', 900, false], ['Roboto-Medium', 500, false],
    ['SourceSansPro-ExtraLight', 200, false], ['Lato-Light', 300, false], ['LubalinGraphStd-Demi', 600, false], ['HelveticaNeueLTPro-Bd', 700, false],
    ['HelveticaNeueLTPro-Md', 500, false], ['Calibri-Italic', 400, true], ['DejaVuSans-Oblique', 400, true], ['MinionPro-It', 400, true], ['MinionPro-BoldIt', 700, true],
    ['Inter-ExtraBold', 800, false], ['MyriadPro-Semibold', 600, false], ['LMRoman10-Bold', 700, false], ['Mediterranean', 400, false], ['Exubold', 700, false], ['Italiana', 400, false],
  ];
  for (const [name, weight, italic] of cases) {
    const font = describeFont(name, NONSYMBOLIC, 0, 0);
    t.same([font.weight, font.italic, font.bold], [weight, italic, weight >= 600], name);
  }
  t.end();
});

t.test('flags and stems speak where names do not', (t) => {
  t.equal(describeFont('F1', NONSYMBOLIC | (1 << 18), 0, 0).bold, true);
  t.equal(describeFont('F1', NONSYMBOLIC, 700, 0).bold, true);
  t.equal(describeFont('F1', NONSYMBOLIC, 500, 0).bold, false);
  t.equal(describeFont('SomeSans-Regular', NONSYMBOLIC, 700, 0).bold, false, 'a name outweighs stems');
  t.equal(describeFont('F1', NONSYMBOLIC | 64, 0, 0).italic, true);
  t.equal(describeFont('F1', NONSYMBOLIC, 0, -12).italic, true);
  t.end();
});

t.test('fixed pitch and symbols', (t) => {
  for (const name of ['Courier', 'CourierNewPSMT', 'CMTT10', 'SFTT1000', 'DejaVuSansMono', 'Consolas-Bold', 'LMMono10-Regular', 'FiraCode-Retina', 'NimbusMonL-Regu', 'Menlo-Regular']) {
    t.equal(describeFont(name, NONSYMBOLIC, 0, 0).monospace, true, name);
  }
  for (const name of ['Helvetica', 'Times-Roman', 'CMR10', 'MonotypeCorsiva', 'Harmony']) t.equal(describeFont(name, NONSYMBOLIC, 0, 0).monospace, false, name);
  t.equal(describeFont('F1', NONSYMBOLIC | 1, 0, 0).monospace, true);
  for (const name of ['Symbol', 'ABCDEF+SymbolMT', 'Wingdings-Regular', 'ZapfDingbats', 'CMSY10']) t.equal(describeFont(name, 4, 0, 0).symbolic, true, name);
  t.equal(describeFont('ABCDEF+Calibri', 4, 0, 0).symbolic, false, 'subsets of text fonts carry the flag too');
  t.equal(describeFont('ABCDEF+Calibri', 4, 0, 0).name, 'Calibri');
  t.end();
});
