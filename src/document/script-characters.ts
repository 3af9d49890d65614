/** Unicode's superscript and subscript characters: the one table of what can be written with them. */

export type Script = 'sub' | 'super';

function tableOf(plain: string, small: string): Map<string, string> {
  const signs = Array.from(small);
  return new Map(Array.from(plain, (character, at) => [character, signs[at] ?? '']));
}

/** A prime is raised already. The minus sign precedes the hyphen, so that it is what a small minus stands for. */
const small: Record<Script, Map<string, string>> = {
  super: tableOf('0123456789+\u2212-=()\u2032ni', '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾\u2032ⁿⁱ'),
  sub: tableOf('0123456789+\u2212-=()aehijklmnoprstuvx', '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ'),
};

function inverse(table: Map<string, string>): Map<string, string> {
  return new Map([...table].reverse().map(([plain, sign]) => [sign, plain]));
}

const plain: Record<Script, Map<string, string>> = { super: inverse(small.super), sub: inverse(small.sub) };

/** `text` in script characters, or null if Unicode lacks one of them. */
export function scriptCharacters(text: string, script: Script): string | null {
  let result = '';
  for (const character of text) {
    const sign = small[script].get(character);
    if (sign === undefined) return null;
    result += sign;
  }
  return result;
}

/** The characters for which script characters stand; others stay. */
export function withoutScriptCharacters(text: string, script: Script): string {
  return Array.from(text, (character) => plain[script].get(character) ?? character).join('');
}
