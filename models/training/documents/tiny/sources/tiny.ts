// Three small documents that use the whole contract: for the tests of the builder, and as an example of a source program.
import { createInterface } from 'node:readline';

const words = 'account balance claim delivery estimate figure growth history interest journal ledger margin notice office payment quarter receipt supply total unit value weight year zone'.split(' ');

function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

function writer(random: () => number) {
  const word = (): string => words[Math.floor(random() * words.length)]!;
  const phrase = (count: number): string => Array.from({ length: count }, word).join(' ');
  const sentence = (): string => `${phrase(4 + Math.floor(random() * 12)).replace(/^./, (letter) => letter.toUpperCase())}.`;
  const text = (count: number): string => Array.from({ length: count }, sentence).join(' ');
  const amount = (): string => (random() * 10000).toFixed(2);
  return { word, phrase, sentence, text, amount, random };
}

type Writer = ReturnType<typeof writer>;

function report({ phrase, text, amount, sentence, random }: Writer): string {
  const rows = Array.from({ length: 12 + Math.floor(random() * 40) }, (_, at) => `<tr>${at % 6 === 0 ? `<th scope="row" rowspan="2">${phrase(2)}</th>` : at % 6 === 1 ? '' : `<th scope="row">${phrase(2)}</th>`}<td>${amount()}</td><td>${at % 4 === 0 ? '' : amount()}</td><td>${phrase(3)}</td></tr>`).join('');
  return `<h1 data-kind="title">Annual ${phrase(3)}</h1><p data-kind="author">A. Author and B. Author</p><div data-kind="abstract"><h2>Abstract</h2><p>${text(4)}</p></div>
<div data-kind="toc"><p data-kind="toc-entry">1 ${phrase(3)} . . . . . 1</p><p data-kind="toc-entry">2 ${phrase(3)} . . . . . 2</p></div>
<h2>1 ${phrase(3)}</h2><p>${text(5)} See <a href="https://example.org/">${phrase(2)}</a>, <b>${phrase(2)}</b> and <i>${phrase(1)}</i><sup>1</sup>. ${text(3)}</p>
<ul><li>${sentence()}</li><li>${phrase(5)}<ul><li>${phrase(4)}</li><li>${phrase(6)}</li></ul>${phrase(3)}</li><li><p>${sentence()}</p><p>${sentence()}</p></li></ul><ol><li>${sentence()}</li><li>${sentence()}</li></ol>
<h3>1.1 ${phrase(2)}</h3><p>${text(9)}</p>
<table><caption>Table 1: ${phrase(4)}</caption><thead><tr><th rowspan="2">${phrase(1)}</th><th colspan="2">${phrase(2)}</th><th rowspan="2">${phrase(2)}</th></tr><tr><th>${phrase(1)}</th><th>${phrase(1)}</th></tr></thead><tbody>${rows}</tbody><tfoot><tr><td>Total</td><td>${amount()}</td><td>${amount()}</td><td></td></tr></tfoot></table>
<h2>2 ${phrase(3)}</h2><p>${text(6)}</p><figure><svg width="240" height="90" viewBox="0 0 240 90"><rect x="5" y="5" width="60" height="80" fill="#88a"/><text x="80" y="40">${phrase(2)}</text></svg><figcaption>Figure 1: ${phrase(5)}</figcaption></figure>
<blockquote><p>${text(2)}</p></blockquote><pre>let ${phrase(1)} = 1;\n  return ${phrase(1)};</pre><p data-kind="formula"><math display="block"><mi>a</mi><mo>=</mo><mfrac><mi>b</mi><mn>2</mn></mfrac></math> <span data-kind="formula-number">(1)</span></p>
<p>${text(12)}</p><hr><p data-kind="footnote"><sup>1</sup> ${sentence()}</p><h2>References</h2><p data-kind="reference">[1] ${sentence()}</p><p data-kind="reference">[2] ${sentence()}</p>`;
}

function invoice({ phrase, amount, word, random }: Writer): string {
  const rows = Array.from({ length: 3 + Math.floor(random() * 14) }, (_, at) => `<tr><td>${at + 1}</td><td>${phrase(3)}</td><td>${amount()}</td><td>${amount()}</td></tr>`).join('');
  return `<p data-kind="address">${phrase(2)}<br>12 ${word()} street<br>1234 ${word()}</p><h1>Invoice</h1><div data-kind="key-value"><span data-part="key">Number</span> <span data-part="value">${Math.floor(random() * 1e6)}</span></div>
<div data-kind="key-value"><span data-part="key">Date</span> <span data-part="value">2024-05-01</span></div><table><thead><tr><th>No</th><th>Item</th><th>Price</th><th>Sum</th></tr></thead><tbody>${rows}<tr><td colspan="3">Total</td><td>${amount()}</td></tr></tbody></table>
<p>${phrase(9)}.</p><p data-kind="signature">${phrase(2)}</p><div data-kind="page-footer">${phrase(3)} - IBAN 1234 5678</div>`;
}

function form({ phrase, sentence }: Writer): string {
  const card = (): string => `<div data-kind="card"><h3>${phrase(2)}</h3><p>${sentence()}</p></div>`;
  return `<h1>${phrase(3)}</h1><div data-grid style="display:flex;gap:1em">${card()}${card()}${card()}</div><div data-kind="form-field"><label>${phrase(1)}: </label><input value="${phrase(2)}"></div>
<p><input type="checkbox"> ${phrase(3)} <input type="checkbox" checked> ${phrase(2)}</p><dl><dt>${phrase(1)}</dt><dd>${sentence()}</dd><dt>${phrase(1)}</dt><dd>${sentence()}</dd></dl><aside>${sentence()}</aside><div>${sentence()} <div>${phrase(3)}</div> ${phrase(4)}</div>`;
}

const kinds: Record<string, (writer: Writer) => string> = { 'tiny-report': report, 'tiny-invoice': invoice, 'tiny-form': form };
if (process.argv[2] === 'list') process.stdout.write(JSON.stringify(Object.keys(kinds).map((origin) => ({ origin, licence: 'own', weight: 1, documents: null, languages: ['en'] }))));
else createInterface({ input: process.stdin }).on('line', (line) => {
  const { origin, seed } = JSON.parse(line) as { origin: string; seed: number };
  const body = kinds[origin]?.(writer(randomOf(seed)));
  process.stdout.write(`${JSON.stringify(body === undefined ? { error: `no origin ${origin}` } : { origin, id: `${origin}-${seed}`, title: origin, language: 'en', body })}\n`);
});
