/** Quantities of the package siunitx: numbers with units, as they are printed. */
import type { FlowRun } from '../flow/flow-blocks.js';

const units: Record<string, string> = {
  ampere: 'A', candela: 'cd', kelvin: 'K', kilogram: 'kg', gram: 'g', metre: 'm', meter: 'm', mole: 'mol', second: 's', becquerel: 'Bq', degreeCelsius: '\u00b0C', celsius: '\u00b0C', coulomb: 'C', farad: 'F', gray: 'Gy', hertz: 'Hz',
  henry: 'H', joule: 'J', lumen: 'lm', lux: 'lx', newton: 'N', ohm: '\u03a9', pascal: 'Pa', radian: 'rad', siemens: 'S', sievert: 'Sv', steradian: 'sr', tesla: 'T', volt: 'V', watt: 'W', weber: 'Wb', day: 'd', hour: 'h', minute: 'min',
  litre: 'L', liter: 'L', tonne: 't', percent: '%', degree: '\u00b0', arcminute: '\u2032', arcsecond: '\u2033', electronvolt: 'eV', bit: 'bit', byte: 'B', bar: 'bar', angstrom: '\u00c5', dalton: 'Da', bel: 'B', decibel: 'dB', hectare: 'ha', knot: 'kn',
  m: 'm', km: 'km', cm: 'cm', mm: 'mm', um: '\u00b5m', nm: 'nm', kg: 'kg', g: 'g', mg: 'mg', s: 's', ms: 'ms', us: '\u00b5s', ns: 'ns', Hz: 'Hz', kHz: 'kHz', MHz: 'MHz', GHz: 'GHz', V: 'V', mV: 'mV', A: 'A', mA: 'mA', W: 'W', kW: 'kW', J: 'J', kJ: 'kJ', N: 'N', K: 'K', Pa: 'Pa', kPa: 'kPa', eV: 'eV', keV: 'keV', MeV: 'MeV', GeV: 'GeV',
};
const prefixes: Record<string, string> = {
  yocto: 'y', zepto: 'z', atto: 'a', femto: 'f', pico: 'p', nano: 'n', micro: '\u00b5', milli: 'm', centi: 'c', deci: 'd', deca: 'da', hecto: 'h', kilo: 'k', mega: 'M', giga: 'G', tera: 'T', peta: 'P', exa: 'E', zetta: 'Z', yotta: 'Y', kibi: 'Ki', mebi: 'Mi', gibi: 'Gi',
};
const powers: Record<string, string> = { square: '2', cubic: '3', squared: '2', cubed: '3' };

/** `3.2e-4` as `3.2 × 10` and the exponent. */
function numberRuns(number: string): FlowRun[] {
  const match = /^\s*([-+]?[\d.,]*)\s*[eEdD]\s*([-+]?\d+)\s*$/.exec(number);
  if (match === null) return [{ text: number.replace(/\\pm|\+-/g, '\u00b1').replace(/\\[A-Za-z]+|[{}]/g, '').trim() }];
  const [, mantissa = '', exponent = ''] = match;
  return [{ text: mantissa === '' ? '10' : `${mantissa} \u00d7 10` }, { text: exponent.replace('-', '\u2212'), script: 'super' }];
}

/** `\metre\per\second\squared` as `m s` and `−2`; a unit that is not written in commands stays as it is. */
function unitRuns(unit: string): FlowRun[] {
  if (!unit.includes('\\')) return [{ text: unit.replace(/[.~]/g, ' ').replace(/[{}^]/g, '').trim() }];
  const written: { symbol: string; power: string; isPer: boolean }[] = [];
  let [prefix, power, isPer] = ['', '', false];
  for (const [, command, literal = ''] of unit.matchAll(/\\([A-Za-z]+)|([^\\\s{}]+)/g)) {
    if (command === 'per') isPer = true;
    else if (command !== undefined && Object.hasOwn(prefixes, command)) prefix = prefixes[command] ?? '';
    else if (command === 'squared' || command === 'cubed') {
      const last = written.at(-1);
      if (last !== undefined) last.power = powers[command] ?? '';
    } else if (command !== undefined && Object.hasOwn(powers, command)) power = powers[command] ?? '';
    else {
      written.push({ symbol: prefix + (command === undefined ? literal : Object.hasOwn(units, command) ? units[command] ?? '' : command), power, isPer });
      [prefix, power, isPer] = ['', '', false];
    }
  }
  return written.flatMap(({ symbol, power: exponent, isPer: under }, at): FlowRun[] => {
    const raised = under ? `\u2212${exponent === '' ? '1' : exponent}` : exponent;
    return [{ text: `${at === 0 ? '' : ' '}${symbol}` }, ...(raised === '' ? [] : [{ text: raised, script: 'super' as const }])];
  });
}

/** Commands of the package, with how many arguments they take. */
export const quantityCommands: Readonly<Record<string, number>> = { SI: 2, qty: 2, si: 1, unit: 1, num: 1, ang: 1 };

/** The runs of a quantity; `values` are the arguments as they are written. */
export function quantityRuns(name: string, values: string[]): FlowRun[] {
  const [first = '', second = ''] = values;
  if (name === 'num') return numberRuns(first);
  if (name === 'ang') return [{ text: first.split(';').map((part, at) => (part.trim() === '' ? '' : `${part.trim()}${['\u00b0', '\u2032', '\u2033'][at] ?? ''}`)).join('') }];
  if (name === 'si' || name === 'unit') return unitRuns(first);
  const unit = unitRuns(second);
  // Degrees stand at their number.
  const gap = /^[\u00b0\u2032\u2033]$/.test(unit[0]?.text ?? '') ? '' : '\u00a0';
  return [...numberRuns(first), { text: gap }, ...unit];
}
