/** What markdown shows of a formula in a line of text, as LaTeX: Unicode's script characters and HTML's scripts are scripts. */

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ';
const raisedPlain = '0123456789+-=()ni';
const lowered = '₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ';
const loweredPlain = '0123456789+-=()aehijklmnoprstuvx';

export function plainScripts(markdown: string): string {
  return markdown
    .replace(/<(su[bp])>(.*?)<\/\1>/gu, (_, tag: string, inner: string) => `${tag === 'sup' ? '^' : '_'}{${inner}}`)
    .replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').replace(/\\([*_[\]#|~])/gu, '$1')
    .replace(new RegExp(`[${raised}]+`, 'gu'), (signs) => `^{${Array.from(signs, (sign) => raisedPlain[raised.indexOf(sign)]).join('')}}`)
    .replace(new RegExp(`[${lowered}]+`, 'gu'), (signs) => `_{${Array.from(signs, (sign) => loweredPlain[lowered.indexOf(sign)]).join('')}}`);
}
