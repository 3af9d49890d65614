/** Answers in the harmony form: channels become thoughts, calls and text, however the text comes in pieces; and what their grammar holds. */
import t from 'tap';
import type { OutputPart, Tool } from '../../src/chat/conversation.js';
import { answerForm, type FormQuestion, syntaxOf } from '../../src/chat/form.js';
import { AnswerReader, type OutputSyntax } from '../../src/chat/output/reader.js';

const source = "<|start|>system<|message|>{{ messages[0].content }}<|end|><|start|>assistant<|channel|>";
const tools: Tool[] = ([
  { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
  { name: 'now', parameters: { type: 'object', properties: {} } },
] satisfies Omit<Tool, 'raw'>[]).map((tool) => ({ ...tool, raw: {} }));
const free: FormQuestion = { format: { kind: 'text' }, tools, toolChoice: 'auto', singleToolCall: false, think: undefined, source, opensThought: false };

function read(text: string, size: number, by: OutputSyntax, isCut = false): OutputPart[] {
  const reader = new AnswerReader(by);
  const parts: OutputPart[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(...reader.push(text.slice(at, at + size)));
  return [...parts, ...reader.end(isCut)];
}

/** Neighbours of one kind joined; calls as name and arguments. */
function shown(parts: OutputPart[]): unknown[] {
  const made: [string, unknown][] = [];
  for (const part of parts) {
    const [kind, value]: [string, unknown] = part.kind === 'toolCall' || part.kind === 'cutCall' ? [part.kind, [part.call.name, part.call.arguments]] : [part.kind, part.text];
    const before = made.at(-1);
    if ((kind === 'text' || kind === 'reasoning') && before?.[0] === kind) before[1] = `${String(before[1])}${String(value)}`;
    else made.push([kind, value]);
  }
  return made;
}

const answers: Record<string, [string, unknown[]]> = {
  'a thought and an answer': ['<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>final<|message|>Four.<|return|>', [['reasoning', 'Easy.'], ['text', 'Four.']]],
  'no end': ['<|channel|>analysis<|message|>Easy.<|end|><|start|>assistant<|channel|>final<|message|>Four.', [['reasoning', 'Easy.'], ['text', 'Four.']]],
  'a call': ['<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Paris"}<|call|>', [['reasoning', 'Look.'], ['toolCall', ['get_weather', { city: 'Paris' }]]]],
  'the tool before the channel': ['<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{"city":"Paris"}<|call|>', [['toolCall', ['get_weather', { city: 'Paris' }]]]],
  'a tool at the beginning': [' to=functions.now<|channel|>commentary<|message|>{}', [['toolCall', ['now', {}]]]],
  'no arguments': ['<|channel|>commentary to=functions.now<|message|><|call|>', [['toolCall', ['now', {}]]]],
  'a preamble': ['<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}<|call|>', [['text', 'I look.'], ['toolCall', ['now', {}]]]],
  'a preamble and an answer': ['<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>final<|message|>Four.', [['text', 'I look.\n\nFour.']]],
  'two thoughts': ['<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>analysis<|message|>B<|end|>', [['reasoning', 'A\n\nB']]],
  'a tool that there is not': ['<|channel|>commentary to=functions.rm <|constrain|>json<|message|>{}<|call|>', [['text', '{}']]],
  'arguments that are no JSON': ['<|channel|>commentary to=functions.now <|constrain|>json<|message|>{"a<|call|>', [['text', '{"a']]],
  'text without a header': ['Four < five', [['text', 'Four < five']]],
  'text that looks like one': ['to be <| or', [['text', 'to be <| or']]],
  'a channel without an end before': ['<|channel|>analysis<|message|>Hm<|channel|>final<|message|>Four.', [['reasoning', 'Hm'], ['text', 'Four.']]],
  'only a header': ['<|channel|>final', []],
  'nothing': ['', []],
};

t.test('answers in channels, whole and in pieces', async (t) => {
  const by = syntaxOf(answerForm(free));
  for (const [name, [text, expected]] of Object.entries(answers)) {
    for (const size of [1, 3, 1000]) t.strictSame(shown(read(text, size, by)), expected, `${name}, by ${size}`);
  }
});

t.test('thoughts and text come as they are written', async (t) => {
  const reader = new AnswerReader(syntaxOf(answerForm(free)));
  reader.push('<|channel|>analysis<|message|>');
  t.strictSame(reader.push('Let me'), [{ kind: 'reasoning', text: 'Let me' }]);
  t.equal(reader.thoughtBytes, Infinity);
  reader.push('<|end|><|start|>assistant<|channel|>final<|message|>');
  t.equal(reader.thoughtBytes, Buffer.byteLength('<|channel|>analysis<|message|>Let me<|end|>'));
  t.strictSame(reader.push('Four'), [{ kind: 'text', text: 'Four' }]);
});

t.test('a call that the limit of tokens cut is reported as such', async (t) => {
  const by = syntaxOf(answerForm(free));
  const text = '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Pa';
  t.strictSame(shown(read(text, 5, by, true)), [['cutCall', ['get_weather', '{"city":"Pa']]]);
});

t.test('a required call and a schema are held behind a header of the prompt', async (t) => {
  const named = answerForm({ ...free, toolChoice: { name: 'get_weather' } });
  t.equal(named.promptEnd, '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>');
  t.match(named.grammar, /city/);
  t.strictSame(shown(read('{"city": "Paris"}<|call|>', 2, syntaxOf(named))), [['toolCall', ['get_weather', { city: 'Paris' }]]]);
  const schema = answerForm({ ...free, tools: [], toolChoice: 'none', format: { kind: 'json' } });
  t.equal(schema.promptEnd, '<|channel|>final<|message|>');
  t.strictSame(shown(read('{"a": 1}', 3, syntaxOf(schema))), [['text', '{"a": 1}']]);
  t.throws(() => answerForm({ ...free, toolChoice: 'required' }), { code: 'invalid_request', message: /must name one/ });
  t.equal(answerForm({ ...free, tools: tools.slice(0, 1), toolChoice: 'required' }).promptEnd, named.promptEnd);
  t.equal(answerForm(free).grammar, null);
});
