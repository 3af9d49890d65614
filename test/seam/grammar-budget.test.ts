// Grammars made to take time or memory: the engine takes them or refuses them by its budget of states and edges, on a thread of its own. What is ambiguous has a
// budget of steps while its text is written: native/test/hostile_grammar_test.cpp.
import t from 'tap';
import { openEngine } from '../../src/engine/engine.js';
import { LecternError } from '../../src/errors.js';
import { madeModels } from '../support/made-model.js';

const { chat } = madeModels(t);
const engine = openEngine();
t.teardown(() => engine.close());

const mebibyte = 2 ** 20;
const numbered = (count: number, make: (index: number) => string, between: string): string => Array.from({ length: count }, (_, index) => make(index)).join(between);

/** What the compiler makes of each, on two busy cores, takes at most 150 ms of processor time. Without its budget the first of them takes the memory of the machine. */
const grammars: Record<string, { source: string; refused: RegExp | null }> = {
  'two million copies': { source: `root ::= ${'("a" "b"){50000} '.repeat(20)}`, refused: /becomes too large/ },
  'repetitions of repetitions of a class': { source: 'root ::= ([acegikmoqsuwyACEGIKMOQSUWY]{0,100000}){0,100000}', refused: /becomes too large/ },
  'ten thousand rules of 40 copies each': { source: `root ::= "a" r0\n${numbered(9_990, (index) => `r${index} ::= [^a]{0,40} r${(index + 1) % 9_990}?`, '\n')}`, refused: /becomes too large/ },
  'a literal of a mebibyte': { source: `root ::= "${'a'.repeat(mebibyte - 100)}"`, refused: /becomes too large/ },
  'more than a mebibyte': { source: `root ::= "a" #${'x'.repeat(mebibyte)}`, refused: /has \d+ bytes, of at most/ },
  '200,000 classes': { source: `root ::= ${'[^a]'.repeat(250_000)}`, refused: /too large/ },
  'a group 1,000 deep': { source: `root ::= ${'('.repeat(1_000)}"a"${')'.repeat(1_000)}`, refused: /too deep/ },
  '190,000 alternatives': { source: `root ::= "a"${'|"a"'.repeat(190_000)}`, refused: null },
  '90,000 optional letters': { source: `root ::= "a"? ${'"b"? '.repeat(90_000)}`, refused: null },
  'a class of 43,000 ranges': { source: `root ::= [${numbered(43_000, (index) => String.fromCodePoint(0x10000 + 2 * index), '')}]`, refused: null },
  'a chain of 9,000 rules': { source: `root ::= r0\n${numbered(9_000, (index) => `r${index} ::= r${index + 1} r${index + 1}?`, '\n')}\nr9000 ::= "a"`, refused: null },
  'a rule repeated 100,000 times': { source: 'root ::= a{0,100000}\na ::= b b b b b b b b b b\nb ::= "x" | "y" | "z"', refused: null },
};

/** On a machine with much other work; a compiler without a bound takes minutes. */
const longestMs = 20_000;
const longestStallMs = 1_000;

t.test('every one is taken or refused, and the event loop stays free', async (t) => {
  const model = await engine.openModel(chat);
  for (const [name, { source, refused }] of Object.entries(grammars)) {
    let [last, stall] = [performance.now(), 0];
    const timer = setInterval(() => {
      const now = performance.now();
      stall = Math.max(stall, now - last);
      last = now;
    }, 2);
    const began = performance.now();
    const outcome = await model.generate([1, 2], { maxTokens: 1, grammar: source }).then(() => null, (thrown: unknown) => thrown);
    clearInterval(timer);
    if (refused === null) t.equal(outcome, null, `${name} is taken`);
    else t.match(outcome, { code: 'invalid_request', message: refused }, `${name} is refused`);
    if (outcome instanceof LecternError) t.equal(outcome.status, 400);
    t.ok(performance.now() - began < longestMs, `${name}: ${(performance.now() - began).toFixed(0)} ms`);
    t.ok(stall < longestStallMs, `${name}: the event loop waited ${stall.toFixed(0)} ms`);
  }
});
