/** Which of the tools an answer may or must call. */
import type { Tool, ToolChoice } from '../../chat/conversation.js';
import { FieldError, type Fields } from '../fields.js';

export interface ChosenTools {
  /** Those that may be called; the model does not see the others. */
  tools: Tool[];
  toolChoice: ToolChoice;
}

/** Throws FieldError for a choice that names no tool of the request. `nameOf`: how the route writes the name of a tool. */
export function readToolChoice(fields: Fields, tools: Tool[], nameOf: (named: Fields) => string = nameIn): ChosenTools {
  const value = fields.raw('tool_choice');
  if (value === undefined) return { tools, toolChoice: tools.length > 0 ? 'auto' : 'none' };
  if (typeof value === 'string') return { tools, toolChoice: checkMode(fields, 'tool_choice', tools) };
  const chosen = fields.require('tool_choice', fields.object('tool_choice'));
  const type = chosen.require('type', chosen.string('type'));
  if (type === 'allowed_tools') return readAllowed(fields, chosen.object('allowed_tools') ?? chosen, tools, nameOf);
  if (type !== 'function' && type !== 'custom') throw new FieldError(chosen.at('type'), `'${chosen.at('type')}' must be 'function', 'custom' or 'allowed_tools': the service has no tools of its own, such as '${type.slice(0, 100)}'.`);
  const name = nameOf(chosen.object(type) ?? chosen);
  if (!tools.some((tool) => tool.name === name)) fields.refuse('tool_choice', `names '${name}', which is none of the tools`);
  return { tools, toolChoice: { name } };
}

/** The responses route has the name beside the type. */
function nameIn(named: Fields): string {
  return named.require('name', named.string('name'));
}

function checkMode(fields: Fields, name: string, tools: readonly Tool[]): 'none' | 'auto' | 'required' {
  const choice = fields.require(name, fields.oneOf(name, ['none', 'auto', 'required']));
  if (choice === 'required' && tools.length === 0) fields.refuse(name, 'is only allowed with tools');
  return choice;
}

function readAllowed(fields: Fields, allowed: Fields, tools: Tool[], nameOf: (named: Fields) => string): ChosenTools {
  const listed = allowed.require('tools', allowed.objects('tools'));
  const names = listed.map((item) => {
    const type = item.require('type', item.string('type'));
    const name = nameOf(item.object(type) ?? item);
    if (!tools.some((tool) => tool.name === name)) fields.refuse('tool_choice', `allows '${name}', which is none of the tools`);
    return name;
  });
  const some = tools.filter(({ name }) => names.includes(name));
  const mode = allowed.require('mode', allowed.oneOf('mode', ['auto', 'required']));
  if (mode === 'required' && some.length === 0) allowed.refuse('tools', 'must name at least one tool');
  return { tools: some, toolChoice: some.length === 0 ? 'none' : mode };
}
