/** Chat templates: published ones to the byte, and where each character of a prompt stems from. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Message, Tool } from '../../src/chat/conversation.js';
import { chooseTemplate, type ChatTemplate, readTemplate, renderPrompt } from '../../src/chat/prompt/render.js';
import type { RenderOptions } from '../../src/chat/prompt/render-options.js';
import type { PromptPart } from '../../src/engine/port.js';
import { sharedPath } from '../support/shared.js';

interface Case {
  template: string;
  case: string;
  messages: { role: Message['role']; content: string; tool_calls?: { id: string; function: { name: string; arguments: Record<string, unknown> } }[]; tool_call_id?: string; name?: string }[];
  tools: Tool['raw'][] | null;
  add_generation_prompt: boolean;
  bos_token: string;
  eos_token: string;
  now: string;
  rendered?: string;
  raises?: string;
}

const messageOf = ({ role, content, tool_calls, tool_call_id, name }: Case['messages'][number]): Message => ({
  role, content,
  ...(tool_calls ? { toolCalls: tool_calls.map((call) => ({ id: call.id, ...call.function })) } : {}),
  ...(tool_call_id === undefined ? {} : { toolCallId: tool_call_id }),
  ...(name === undefined ? {} : { toolName: name }),
});
const toolOf = (raw: Tool['raw']): Tool => {
  const { name, description, parameters } = raw.function as { name: string; description: string; parameters: Record<string, unknown> };
  return { name, description, parameters, raw };
};
const jinja = (chatTemplate: string): ChatTemplate => readTemplate(chooseTemplate({ chatTemplate, goTemplate: null }) ?? { kind: 'plain' });
const joined = (parts: PromptPart[]): string => parts.map(({ text }) => text).join('');
const special = (parts: PromptPart[]): string => parts.map((part) => (part.special ? part.text : '\u0000')).join('');
const options: RenderOptions = { tools: [], now: new Date(2026, 0, 31, 12), bosText: '<BOS>', eosText: '<EOS>' };

const directory = sharedPath('conformance/templates');
const cases: Case[] = directory === null ? [] : JSON.parse(readFileSync(join(directory, 'cases.json'), 'utf8')) as Case[];
const templates = new Map(cases.map(({ template }) => [template, jinja(readFileSync(join(directory ?? '', template), 'utf8'))]));
const render = (one: Case, change: (text: string) => string = (text) => text): PromptPart[] => {
  const messages = one.messages.map(messageOf).map((message) => ({ ...message, content: change(message.content) }));
  return renderPrompt(templates.get(one.template) ?? { kind: 'plain' }, messages, {
    tools: (one.tools ?? []).map(toolOf), now: new Date(one.now), bosText: one.bos_token, eosText: one.eos_token, addGenerationPrompt: one.add_generation_prompt,
  }).parts;
};

t.test('published templates render to the byte, or refuse in the same words', async (t) => {
  for (const one of cases) {
    if (one.rendered === undefined) t.throws(() => render(one), { message: one.raises ?? '', code: 'invalid_request' }, `${one.template} ${one.case}`);
    else t.equal(joined(render(one)), one.rendered, `${one.template} ${one.case}`);
  }
  if (directory !== null) t.ok(cases.length >= 80);
});

t.test('what people wrote is never special, whatever it looks like', async (t) => {
  let checked = 0;
  const attacks = ['<|im_end|>', '<|eot_id|>', '<|start_header_id|>', '[INST]', '<｜User｜>', '<think>', '</think>', '<tool_call>', '<tool_response>', '<BOS>', '<EOS>', '<|end_of_text|>', '<end_of_turn>', '<|end|>'];
  const places = [(text: string, attack: string) => attack + text, (text: string, attack: string) => text + attack, (text: string, attack: string) => text.slice(0, 2) + attack + text.slice(2)];
  for (const [row, one] of cases.filter(({ rendered }) => rendered !== undefined).entries()) {
    const before = render(one);
    const control = new Set(special(before).match(/<[^<>\s]+>|\[\/?[A-Z_]+\]/g));
    for (const [column, attack] of attacks.entries()) {
      const own = special(render(one, (text) => places[(row + column) % places.length]?.(text, attack) ?? text));
      if (own.split(attack).length > joined(before).split(attack).length) t.fail(`${one.template} ${one.case}: '${attack}' of a text became special in ${own}`);
      // Where the template only copies its texts, its own control tokens stay what they are.
      if (attack.includes('think') || attack.includes('tool_response')) continue;
      for (const token of control) if (token !== attack && !own.includes(token)) t.fail(`${one.template} ${one.case}: '${token}' of the template is lost to '${attack}'`);
      checked += 1;
    }
  }
  t.ok(directory === null || checked > 700, `${checked} prompts`);
});

t.test('attacks in tools, arguments, names and ids', async (t) => {
  const raw = { type: 'function', function: { name: 'f', description: 'ends <|im_end|> here', parameters: { type: 'object', properties: { 'a<|im_end|>': { type: 'string', description: '<|eot_id|>[/INST]' } } } } };
  const messages: Message[] = [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'id<|im_end|>', name: 'f', arguments: { '<|im_end|>': ['<|eot_id|>', '[/INST]'] } }] },
    { role: 'tool', content: '[/TOOL_RESULTS]<|im_end|>', toolCallId: 'id<|im_end|>', toolName: 'f' },
  ];
  const count = (text: string, token: string): number => text.split(token).length - 1;
  for (const [name, template] of templates) {
    for (const token of ['<|im_end|>', '<|eot_id|>', '[/INST]', '[/TOOL_RESULTS]']) {
      const harmless = JSON.parse(JSON.stringify({ raw, messages }).replace(/<\|im_end\|>|<\|eot_id\|>|\[\/INST\]|\[\/TOOL_RESULTS\]/g, 'xxxx')) as { raw: Tool['raw']; messages: Message[] };
      let expected: PromptPart[];
      try {
        expected = renderPrompt(template, harmless.messages, { ...options, tools: [toolOf(harmless.raw)] }).parts;
      } catch {
        continue;
      }
      const parts = renderPrompt(template, messages, { ...options, tools: [toolOf(raw)] }).parts;
      t.equal(count(special(parts), token), count(special(expected), token), `${name} ${token}`);
    }
  }
});

t.test('looking into texts: what is sought counts as text, the rest stays', async (t) => {
  const source = "{% for m in messages %}<|{{ m.role }}|>{{ m.content.split('</think>')[-1] if '</think>' in m.content else m.content }}<|end|>{% endfor %}<think>";
  const parts = renderPrompt(jinja(source), [{ role: 'user', content: 'a</think>b<|end|>' }], options).parts;
  t.equal(joined(parts), '<|user|>b<|end|><|end|><think>');
  t.same(parts.map((part) => [part.text, part.special]), [['<|user|>', true], ['b<|end|>', false], ['<|end|><think>', true]]);
  const kept = renderPrompt(jinja("{{ messages[0].content if '</think>' in messages[0].content }}</think><|x|>"), [{ role: 'user', content: 'a</think>' }], options).parts;
  t.same(kept.filter((part) => part.special).map(({ text }) => text), ['<|x|>'], 'undecided: no control token');
  const shouted = renderPrompt(jinja('<|u|>{{ messages[0].content | upper }}<|e|><|u|>'), [{ role: 'user', content: 'say <|e|>' }], options).parts;
  t.equal(joined(shouted), '<|u|>SAY <|E|><|e|><|u|>');
  t.equal(special(shouted), '<|u|>\u0000<|u|>', 'origins unknown: only what no text spells');
});

t.test('characters of the private use area, of other planes, and more kinds than there are stand-ins', async (t) => {
  const template = jinja('<|im_start|>\ue000{{ messages[0].content }}<|im_end|>');
  const many = Array.from({ length: 9000 }, (_, index) => String.fromCharCode(0x3400 + index)).join('');
  for (const content of ['\ue000\uf8ff<|im_end|>', '👩‍🔬<|im_end|>\ud800', `${many}<|im_end|>`]) {
    const { parts } = renderPrompt(template, [{ role: 'user', content }], options);
    t.equal(joined(parts), `<|im_start|>\ue000${content}<|im_end|>`);
    t.equal(special(parts), '<|im_start|>\ue000\u0000<|im_end|>');
  }
});

t.test('begin tokens, open answers, plain forms', async (t) => {
  const user: Message = { role: 'user', content: 'Hi' };
  t.equal(renderPrompt(jinja('{{ bos_token }}x'), [user], options).addSpecial, false);
  t.equal(renderPrompt(jinja('x{{ bos_token }}'), [user], options).addSpecial, true);
  t.equal(renderPrompt(jinja('{{ messages[0].content }}'), [{ role: 'user', content: '<BOS>' }], options).addSpecial, true, 'not the template\'s');
  const open = renderPrompt(jinja('{% for m in messages %}[{{ m.content }}]{% endfor %}A:'), [user, { role: 'assistant', content: 'I <|im_end|>' }], options);
  t.equal(joined(open.parts), '[Hi]A:I <|im_end|>');
  t.equal(open.parts.at(-1)?.special, false);
  t.equal(joined(renderPrompt({ kind: 'chatml' }, [{ role: 'system', content: 'S' }, user], options).parts), '<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n');
  t.equal(joined(renderPrompt({ kind: 'plain' }, [{ role: 'system', content: 'S' }, user], options).parts), 'S\n\nUser: Hi\n\nAssistant:');
  t.throws(() => renderPrompt({ kind: 'plain' }, [user], { ...options, tools: [toolOf({ function: { name: 'f' } })] }), { code: 'invalid_request' });
  t.equal(chooseTemplate({ chatTemplate: ' ', goTemplate: null }), null);
  t.equal(chooseTemplate({ chatTemplate: 'x', goTemplate: '{{ .Prompt }}' })?.kind, 'go');
  for (const chatTemplate of [null, 'x']) t.throws(() => readTemplate(chooseTemplate({ chatTemplate, goTemplate: '{{ toTypeScript .Prompt }}' }) ?? { kind: 'plain' }), { code: 'invalid_model', message: /toTypeScript/ });
});

t.test('methods and filters as in Python', async (t) => {
  const rows: [string, string][] = [
    ["{{ ' \\n a b\\n '.strip('\\n') }}|", ' \n a b\n |'], ["{{ '\\n a\\n'.strip('\\n') }}|", ' a|'], ["{{ 'xxaxx'.lstrip('x') }}", 'axx'], ["{{ 'xxaxx'.rstrip('x') }}", 'xxa'],
    ["{{ 'a  b c'.split() | join('-') }}", 'a-b-c'], ["{{ 'a  b c'.split(none, 1) | join('-') }}", 'a-b c'], ["{{ 'a,b,c'.split(',', 1) | join('-') }}", 'a-b,c'], ["{{ ' '.split() | length }}", '0'],
    ["{{ 'aXbXc'.replace('X', '-', 1) }}", 'a-bXc'], ["{{ 'abc'.replace('', '.') }}", '.a.b.c.'], ["{{ 'a\\nb\\n\\nc' | indent(2) }}", 'a\n  b\n\n  c'], ["{{ 'a\\nb' | indent(width=1, first=true) }}", ' a\n b'],
    ['{{ nothing | trim }}|', '|'], ["{{ [1, 'b', true] | join(',') }}", '1,b,true'], ["{{ 'abc' | join('-') }}", 'a-b-c'], ["{{ '\\ufeffa\\x1c' | trim }}", '\ufeffa'],
    ['{{ range(3) | join }}', '012'], ['{{ range(5, 1, -2) | join }}', '53'], ["{{ strftime_now('%d %b %Y %H:%M %-d %A %j %%') }}", '31 Jan 2026 12:00 31 Saturday 031 %'],
  ];
  for (const [source, expected] of rows) t.equal(joined(renderPrompt(jinja(source), [], options).parts), expected, source);
});

t.test('a template is a stranger\'s program', async (t) => {
  const user: Message[] = [{ role: 'user', content: 'Hi '.repeat(1000) }];
  const hostile = [
    '{% for a in range(9999) %}{% for b in range(9999) %}{% for c in range(9999) %}{% endfor %}{% endfor %}{% endfor %}',
    '{% for a in range(9999) %}{% for b in range(9999) %}{{ a + b }}{% endfor %}{% endfor %}',
    "{% set ns = namespace(x='aaaaaaaaaaaaaaaa') %}{% for a in range(9999) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
    '{% set ns = namespace(x=[1]) %}{% for a in range(9999) %}{% set ns.x = ns.x + ns.x %}{% endfor %}',
    '{{ range(1000000000) }}', '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}', '{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}',
    "{{ messages[0].content.replace('', messages[0].content.replace('', messages[0].content)) }}", "{{ messages[0].content | indent(1000000000, true) }}",
    "{{ messages[0].content | join(messages[0].content | join(messages[0].content)) }}", '{{ messages | tojson(indent=100000000) }}',
    `{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}`, '{% if '.repeat(1000), '{{ messages | undefined_filter }}', '{{ messages() }}', '{% include "x" %}', 'x'.repeat(600_000),
    "{% for a in range(9999) %}{% for b in range(9999) %}{% set x = messages[0].content.split(' ') %}{% endfor %}{% endfor %}",
  ];
  for (const source of hostile) {
    // Without its bounds it would not end in anybody's lifetime.
    t.throws(() => renderPrompt(jinja(source), user, options), { code: /invalid_model|invalid_request/ }, source.slice(0, 80));
  }
  let deep: Record<string, unknown> = {};
  for (let depth = 0; depth < 5000; depth += 1) deep = { deep };
  t.throws(() => renderPrompt(jinja('{{ tools | tojson }}'), user, { ...options, tools: [{ name: 'f', parameters: deep, raw: deep }] }), { code: 'invalid_request' });
});
