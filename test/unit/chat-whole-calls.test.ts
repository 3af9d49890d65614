/** Whole answers that are calls in another form than the template's, and texts that resemble them. */
import t from 'tap';
import type { OutputPart } from '../../src/chat/conversation.js';
import type { OfferedTool } from '../../src/chat/output/json-calls.js';
import { AnswerReader, type OutputSyntax, plainText } from '../../src/chat/output/reader.js';

const tools: OfferedTool[] = [
  { name: 'get_weather', parameters: [{ name: 'city', isText: true }, { name: 'days', isText: false }] },
  { name: 'add', parameters: [{ name: 'a', isText: false }, { name: 'b', isText: false }] },
];
const syntax: OutputSyntax = { ...plainText, callMarkers: ['<tool_call>'], wholeCalls: { tools, onlyOne: false } };
const thinking: OutputSyntax = { ...syntax, thoughts: { open: '<think>', close: '</think>' } };

/** By pieces of `size` characters. `early`: characters of text that came before the end. */
function read(text: string, { size = 1, isCut = false, by = syntax }: { size?: number; isCut?: boolean; by?: OutputSyntax } = {}): { parts: OutputPart[]; early: number } {
  const reader = new AnswerReader(by);
  const parts: OutputPart[] = [];
  for (let at = 0; at < text.length; at += size) parts.push(...reader.push(text.slice(at, at + size)));
  const early = parts.reduce((sum, part) => sum + (part.kind === 'text' ? part.text.length : 0), 0);
  parts.push(...reader.end(isCut));
  return { parts, early };
}

const callsOf = (parts: OutputPart[]): unknown[] => parts.map((part) => (part.kind === 'toolCall' ? [part.call.name, part.call.arguments] : part));
const textOf = (parts: OutputPart[]): string => parts.map((part) => (part.kind === 'text' ? part.text : `[${part.kind}]`)).join('');
const paris = ['get_weather', { city: 'Paris' }];
const sum = ['add', { a: 1, b: -2 }];
const bareParis = '{"name": "get_weather", "arguments": {"city": "Paris"}}';
const bareSum = '{"name": "add", "parameters": {"a": 1, "b": -2}}';

const answers: Record<string, [string, unknown[]]> = {
  'bare JSON': [bareParis, [paris]],
  'bare JSON with spaces around': [`\n ${bareParis}\n`, [paris]],
  'JSON over several lines': [JSON.stringify({ name: 'add', arguments: { a: 1, b: -2 } }, null, 2), [sum]],
  'arguments first': ['{"arguments": {"city": "Paris"}, "name": "get_weather"}', [paris]],
  'arguments as a string': ['{"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}', [paris]],
  'two objects': [`${bareParis}\n${bareSum}`, [paris, sum]],
  'two objects behind a semicolon': [`${bareParis}; ${bareSum}`, [paris, sum]],
  'a list': [`[${bareParis}, ${bareSum}]`, [paris, sum]],
  'OpenAI\'s object': ['{"type": "function", "function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}}', [paris]],
  'function and arguments': ['{"function": "add", "arguments": {"a": 1, "b": -2}}', [sum]],
  'a json fence': [`\`\`\`json\n${bareParis}\n\`\`\``, [paris]],
  'a json fence that does not end': [`\`\`\`json\n${bareParis}\n`, [paris]],
  'a fence without a language, a list': [`\`\`\`\n[${bareParis},${bareSum}]\n\`\`\`\n`, [paris, sum]],
  'tags in a fence': [`\`\`\`xml\n<tool_call>${bareParis}</tool_call>\n\`\`\``, [paris]],
  'granite': [`<|tool_call|>[{"arguments": {"city": "Paris"}, "name": "get_weather"}]`, [paris]],
  'Phi': [`<|tool_call|>[${bareParis}]<|/tool_call|>`, [paris]],
  'Phi-4-mini': [`functools[${bareParis}]`, [paris]],
  'llama': [`<|python_tag|>${bareSum}`, [sum]],
  'llama, two': [`<|python_tag|>${bareSum}; ${bareSum}`, [sum, sum]],
  'llama, built in': ['<|python_tag|>get_weather.call(city="Paris")', [paris]],
  'llama, Python': ['[get_weather(city="Paris"), add(a=1, b=-2)]', [paris, sum]],
  'llama, function tag': ['<function=get_weather>{"city": "Paris"}</function>', [paris]],
  'mistral': [`[TOOL_CALLS] [${bareParis}, {"name": "add", "arguments": {"a": 1, "b": -2}}]`, [paris, sum]],
  'mistral, newer': ['[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}[TOOL_CALLS]add[CALL_ID]abc123[ARGS]{"a": 1, "b": -2}', [paris, sum]],
  'gemma': ['```tool_code\nget_weather(city="Paris")\n```', [paris]],
  'gemma, printed': ['```tool_code\nprint(default_api.get_weather(city=\'Paris\', days=3))\n```', [['get_weather', { city: 'Paris', days: 3 }]]],
  'Python with places': ['```tool_code\nget_weather("Paris", days=[1, 2.5, True, None, {"k": (1,)}])\n```', [['get_weather', { city: 'Paris', days: [1, 2.5, true, null, { k: [1] }] }]]],
  'LFM': ['<|tool_call_start|>[get_weather(city="Paris")]<|tool_call_end|>', [paris]],
  'SmolLM, Python': ['<code>\nadd(a=1, b=-2)\n</code>', [sum]],
  'harmony': ['<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Paris"}<|call|>', [paris]],
  'DeepSeek': ['<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Paris"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>', [paris]],
  'Qwen-Coder': ['<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>', [['get_weather', { city: 'Paris', days: 3 }]]],
  'braces in strings': ['{"name": "get_weather", "arguments": {"city": "}]\\"{ \\\\"}}', [['get_weather', { city: '}]"{ \\' }]]],
};

t.test('whole answers in every form, whole and letter by letter', async (t) => {
  for (const [name, [text, calls]] of Object.entries(answers)) {
    for (const size of [1, 7, 1000]) {
      const { parts, early } = read(text, { size });
      t.same(callsOf(parts), calls, `${name}, ${size}`);
      t.equal(early, 0, `${name}: nothing was shown of it`);
    }
    t.match(read(text).parts[0], { call: { id: /^call_[0-9a-f]{24}$/ } });
    const thought = read(`<think>Hm.</think>\n\n${text}`, { by: thinking }).parts.filter(({ kind }) => kind !== 'reasoning');
    t.same(callsOf(thought), calls, `${name}, behind a thought`);
  }
});

/** With how many characters at least that come before the end. */
const texts: Record<string, [string, number]> = {
  'prose': ['Get the weather, please.', 23],
  'prose before a call': [`Sure: ${bareParis}`, 60],
  'prose behind a call': [`${bareParis}\n\nThat is the call.`, 60],
  'prose behind a fence': [`\`\`\`json\n${bareParis}\n\`\`\`\nThis calls it.`, 70],
  'another tool': ['{"name": "get_time", "arguments": {}}', 30],
  'a name that goes on': ['{"name": "adder", "arguments": {}}', 20],
  'JSON of an answer': ['{"temperature": 21, "name": "add"}', 30],
  'a name and other keys': ['{"name": "add", "age": 3}', 10],
  'a name alone': ['{"name": "add"}', 0],
  'arguments that are no object': ['{"name": "add", "arguments": 3}', 0],
  'the description of a tool': ['{"name": "add", "parameters": {"type": "object", "properties": {"a": {}}}}', 0],
  'a list of numbers': ['[1, 2, 3]', 7],
  'a list of other objects': ['[{"name": "Alice"}]', 8],
  'a fence of Python': ['```python\nget_weather(city="Paris")\n```', 20],
  'a fence of other JSON': ['```json\n{"a": 1}\n```', 8],
  'Python that calls others': ['print(sum([1, 2]))', 10],
  'Python that computes': ['add(a=1 + 2, b=3)', 8],
  'broken JSON': ['{"name": "add", "arguments": {"a": 1,, "b": 2}}', 0],
  'a call that is not finished': ['{"name": "add", "arguments": {"a": 1', 0],
  'half a tag': ['<|tool_', 0],
  'an empty list': ['[]', 0],
  'nothing': ['', 0],
  'white space': [' \n', 0],
};

t.test('other texts stay as they are, and come as soon as they are certain', async (t) => {
  for (const [name, [text, least]] of Object.entries(texts)) {
    for (const size of [1, 1000]) {
      const { parts, early } = read(text, { size });
      t.equal(textOf(parts), text, `${name}, ${size}`);
      if (size === 1) t.ok(early >= least, `${name}: ${early} characters came early`);
    }
  }
  t.equal(read('H').early, 1, 'the first character that begins no call is shown at once');
});

t.test('the template\'s own calls come as each of them ends', async (t) => {
  const own = (value: Record<string, unknown>) => (typeof value['name'] === 'string' ? { name: value['name'], arguments: value['arguments'] as Record<string, unknown> } : null);
  const reader = new AnswerReader({ ...syntax, readCall: own });
  t.same(callsOf(reader.push(`<tool_call>\n${bareParis}`)), [paris]);
});

t.test('calls that the limit of tokens cuts', async (t) => {
  const begun = '{"name": "add", "arguments": {"a": 1, "b';
  for (const [text, given] of [[begun, '{"a": 1, "b'], [`\`\`\`json\n${begun}`, '{"a": 1, "b'], ['{"name": "add", "arg', ''], ['[TOOL_CALLS]add[ARGS]{"a"', '{"a"']] as const) {
    t.match(read(text, { isCut: true }).parts, [{ kind: 'cutCall', call: { name: 'add', arguments: given }, source: text }], text);
  }
  t.match(read(`[${bareParis}, ${begun}`, { isCut: true }).parts, [{ kind: 'toolCall', call: { name: 'get_weather' } }, { kind: 'cutCall', call: { name: 'add' } }]);
  t.same(callsOf(read(bareParis, { isCut: true }).parts), [paris], 'cut behind its end');
  for (const text of ['{"na', '```js', '{"name": "ad']) t.equal(textOf(read(text, { isCut: true }).parts), text);
});

t.test('at most one call, where the client wants no more', async (t) => {
  const by = { ...syntax, wholeCalls: { tools, onlyOne: true } };
  t.same(callsOf(read(`[${bareParis}, ${bareSum}]`, { by }).parts), [paris]);
});

t.test('a long call takes time in proportion to its length', async (t) => {
  const time = (length: number): number => {
    const text = JSON.stringify({ name: 'get_weather', arguments: { city: 'x'.repeat(length) } });
    const began = performance.now();
    t.equal(read(text, { size: 4 }).parts[0]?.kind, 'toolCall');
    return performance.now() - began;
  };
  time(20_000);
  t.ok(time(400_000) < 2_000, 'a hundred thousand pieces');
});
