/** A conversation through a Go template, as Ollama does it: one rendering with `.Messages`, else one for each exchange. */
import type { Message, Tool, ToolCall } from '../conversation.js';
import { executeGo, type GoSurroundings } from './go-template/interpreter.js';
import { GoMap, type GoNode, type GoTemplate, type GoValue } from './go-template/tree.js';
import { markDeep } from './jinja-input.js';
import type { Mark } from './origins.js';
import type { RenderOptions } from './render-options.js';

/** Every text that people, tools or models wrote goes through `mark`. Throws what executeGo throws. */
export function renderGo(template: GoTemplate, messages: readonly Message[], options: RenderOptions, surroundings: GoSurroundings, mark: Mark): string {
  const merged = mergeTurns(messages);
  const thinking = thinkFields(options.think);
  if (!template.fields.has('Messages')) return renderTurns(template, merged, thinking, surroundings, mark);
  const system = merged.filter(({ role }) => role === 'system').map(({ content }) => content).join('\n\n');
  return executeGo(template, rootOf([
    ['System', mark(system)],
    ['Messages', merged.map((message) => goMessage(message, mark))],
    ['Tools', options.tools.map((tool) => goTool(tool, mark))],
    ['Response', ''],
    ...thinking,
  ]), surroundings);
}

/** Neighbours of one role become one message, but for answers of tools. */
export function mergeTurns(messages: readonly Message[]): Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last === undefined || last.role !== message.role || message.role === 'tool') merged.push({ ...message });
    else {
      last.content = `${last.content}\n\n${message.content}`;
      if (message.toolCalls) last.toolCalls = [...(last.toolCalls ?? []), ...message.toolCalls];
    }
  }
  return merged;
}

/** `.System`, `.Prompt` and `.Response` of one exchange after the other; the last is cut behind its `.Response`, which stays open. */
function renderTurns(template: GoTemplate, messages: readonly Message[], thinking: Fields, surroundings: GoSurroundings, mark: Mark): string {
  const whole: GoTemplate = template.fields.has('Response') ? template : { ...template, body: [...template.body, { kind: 'action', pipeline: response }] };
  let turn = { System: '', Prompt: '', Response: '' };
  let text = '';
  const render = (form: GoTemplate): void => {
    text += executeGo(form, rootOf([...Object.entries(turn).map(([name, value]): Field => [name, mark(value)]), ...thinking]), surroundings);
    turn = { System: '', Prompt: '', Response: '' };
  };
  for (const { role, content } of messages) {
    if (role === 'system') {
      if (turn.Prompt !== '' || turn.Response !== '') render(whole);
      turn.System = content;
    } else if (role === 'assistant') turn.Response = content;
    else {
      if (turn.Response !== '') render(whole);
      turn.Prompt = content;
    }
  }
  render({ ...whole, body: cutBehindResponse(whole.body) });
  return text;
}

const response = { variables: [], assigns: false, commands: [[{ kind: 'field' as const, of: { kind: 'dot' as const }, name: 'Response' }]] };

function cutBehindResponse(body: readonly GoNode[]): GoNode[] {
  let isCut = false;
  const keep = (nodes: readonly GoNode[]): GoNode[] => nodes.flatMap((node): GoNode[] => {
    if (isCut) return [];
    if ('pipeline' in node && node.pipeline !== null && JSON.stringify(node.pipeline).includes('"name":"Response"')) isCut = true;
    return 'body' in node ? [{ ...node, body: keep(node.body), otherwise: keep(node.otherwise) }] : [node];
  });
  return keep(body);
}

type Field = readonly [string, GoValue];
type Fields = readonly Field[];

function rootOf(fields: Fields): GoMap {
  return new GoMap(fields, {}, false);
}

function thinkFields(think: RenderOptions['think']): Fields {
  return [['Think', think !== undefined && think !== false], ['ThinkLevel', typeof think === 'string' ? think : ''], ['IsThinkSet', think !== undefined]];
}

function goMessage({ role, content, reasoning, toolCalls, toolCallId, toolName }: Message, mark: Mark): GoMap {
  const json = { role, content: mark(content), ...(toolCalls ? { tool_calls: toolCalls.map((call) => callJson(call, mark)) } : {}) };
  return new GoMap([
    ['Role', role], ['Content', mark(content)], ['Thinking', mark(reasoning ?? '')], ['Images', []],
    ['ToolCalls', (toolCalls ?? []).map((call, index) => goCall(call, index, mark))],
    ['ToolName', mark(toolName ?? '')], ['ToolCallID', mark(toolCallId ?? '')],
  ], json, true);
}

function callJson({ name, arguments: values }: ToolCall, mark: Mark): { function: { name: string; arguments: unknown } } {
  return { function: { name: mark(name), arguments: markDeep(values, mark) } };
}

function goCall(call: ToolCall, index: number, mark: Mark): GoMap {
  const json = callJson(call, mark);
  const { name, arguments: values } = json.function;
  const fields: Fields = [['Index', index], ['Name', name], ['Arguments', goValue(values)]];
  return new GoMap([['ID', mark(call.id)], ['Function', new GoMap(fields, json.function, true)]], json, true);
}

/** Whole tools print as the client's own JSON. */
function goTool({ raw, name, description, parameters }: Tool, mark: Mark): GoMap {
  const json = markDeep(raw, mark);
  const schema = schemaOf(markDeep(parameters, mark));
  const fields: Fields = [['Name', mark(name)], ['Description', mark(description ?? '')], ['Parameters', schema]];
  return new GoMap([['Type', 'function'], ['Function', new GoMap(fields, markDeep(raw.function ?? raw, mark), true)]], json, true);
}

/** A JSON schema with the names that Ollama's structs give its keys. */
function schemaOf(schema: unknown): GoMap {
  const keys = Object.entries(typeof schema === 'object' && schema !== null && !Array.isArray(schema) ? schema : {});
  const fields = keys.map(([key, value]): Field => [`${key.charAt(0).toUpperCase()}${key.slice(1)}`, key === 'properties' ? propertiesOf(value) : goValue(value)]);
  return new GoMap(fields, schema, true);
}

function propertiesOf(properties: unknown): GoMap {
  return new GoMap(Object.entries(properties ?? {}).map(([name, schema]): Field => [name, schemaOf(schema)]), properties, false);
}

function goValue(value: unknown): GoValue {
  if (Array.isArray(value)) return value.map(goValue);
  if (typeof value !== 'object' || value === null) return value as GoValue;
  return new GoMap(Object.entries(value).map(([key, item]): Field => [key, goValue(item)]), value, false);
}
