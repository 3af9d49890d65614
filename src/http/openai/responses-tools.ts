/** Tools of the responses route: functions, functions in a namespace, custom tools, and those that run on OpenAI's servers or need models trained for them. */
import type { Tool } from '../../chat/conversation.js';
import { FieldError, type Fields } from '../fields.js';
import { readFunction, refuseTwice, toolName } from './messages.js';

/** How a call of a tool is reported: a custom tool has one text instead of arguments. */
export interface CalledTool {
  kind: 'function' | 'custom';
  name: string;
  namespace?: string;
}

export interface ResponsesTools {
  tools: Tool[];
  /** By the name that the model knows: a namespace and a dot stand before the tool's own. */
  called: ReadonlyMap<string, CalledTool>;
  /** Types of tools that the model is not told of. */
  passedOver: string[];
}

/** They are never called here, as a model may leave any tool alone; a choice that asks for one is refused by its name. */
const unserved: ReadonlySet<string> = new Set([
  'web_search', 'web_search_preview', 'web_search_2025_08_26', 'web_search_preview_2025_03_11', 'file_search', 'code_interpreter', 'image_generation', 'mcp', 'computer', 'computer_use', 'computer_use_preview',
  'local_shell', 'shell', 'apply_patch', 'tool_search',
]);

/** The parameter of a custom tool. */
export const customInput = 'input';

/** Throws FieldError for types that are not known, and for what is no tool. */
export function readResponsesTools(fields: Fields): ResponsesTools {
  const read: ResponsesTools & { called: Map<string, CalledTool> } = { tools: [], called: new Map(), passedOver: [] };
  for (const tool of fields.objects('tools') ?? []) {
    if (tool.raw('type') !== 'namespace') {
      addTool(read, tool);
      continue;
    }
    const namespace = tool.require('name', tool.string('name'));
    tool.string('description');
    for (const inner of tool.objects('tools') ?? []) addTool(read, inner, namespace);
  }
  refuseTwice(fields, read.tools);
  if (fields.raw('tool_choice') === 'required' && read.tools.length === 0 && read.passedOver.length > 0) {
    fields.refuse('tools', `holds none that can be called here, and tool_choice asks for a call: the service has no '${read.passedOver[0]}'`);
  }
  return read;
}

function addTool(read: ResponsesTools & { called: Map<string, CalledTool> }, tool: Fields, namespace?: string): void {
  const type = tool.require('type', tool.string('type'));
  const format = type === 'custom' ? tool.object('format') : undefined;
  // A text that must keep to a grammar would be called without it.
  if (unserved.has(type) || (format !== undefined && format.raw('type') !== 'text')) {
    read.passedOver.push(type === 'custom' ? `${type} tool '${String(tool.raw('name')).slice(0, 100)}' with a grammar` : type);
    return;
  }
  if (type !== 'function' && type !== 'custom') throw new FieldError(tool.at('type'), `Tools of type '${type.slice(0, 100)}' are not supported, only 'function', 'custom' and 'namespace'.`);
  const name = tool.require('name', tool.string('name'));
  const known = joinedName(name, namespace);
  if (!toolName.test(known)) tool.refuse('name', 'must, with its namespace, be 1 to 128 letters, digits, dashes, dots, colons or underscores');
  read.called.set(known, { kind: type, name, ...(namespace === undefined ? {} : { namespace }) });
  read.tools.push(type === 'function' ? readNamed(tool, known) : customTool(known, tool.string('description')));
}

function readNamed(tool: Fields, name: string): Tool {
  const described = Object.fromEntries(['description', 'parameters'].flatMap((key) => (tool.has(key) ? [[key, tool.raw(key)]] : [])));
  return { ...readFunction(tool, { type: 'function', function: { name, ...described } }), name };
}

function customTool(name: string, description = ''): Tool {
  const parameters = { type: 'object', properties: { [customInput]: { type: 'string' } }, required: [customInput], additionalProperties: false };
  return { name, description, parameters, raw: { type: 'function', function: { name, description, parameters } } };
}

export function joinedName(name: string, namespace: string | undefined): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}.${name}`;
}

/** Of a tool that an item or a choice names. */
export function nameWithNamespace(named: Fields): string {
  return joinedName(named.require('name', named.string('name')), named.string('namespace'));
}
