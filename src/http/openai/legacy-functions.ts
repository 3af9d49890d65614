/** `functions` and `function_call`, which `tools` and `tool_choice` came after: the same request in the newer words. */
import { FieldError, Fields } from '../fields.js';

/**
 * The body with tools in the place of functions; the body itself where it has none. `isLegacy`: calls are reported by the older names. Throws FieldError
 * for a body that has both, and for what is no function.
 */
export function withoutFunctions(fields: Fields, body: unknown): { fields: Fields; isLegacy: boolean } {
  if (!fields.has('functions') && !fields.has('function_call')) return { fields, isLegacy: false };
  for (const newer of ['tools', 'tool_choice']) if (fields.has(newer)) fields.refuse(newer, "cannot stand beside 'functions' and 'function_call'");
  const { functions, function_call: choice, ...others } = body as Record<string, unknown>;
  const described = (fields.objects('functions') ?? []).map((_, index) => ({ type: 'function', function: (functions as unknown[])[index] }));
  if (described.length === 0) throw new FieldError('functions', "'functions' must hold at least one function.");
  const named = typeof choice === 'string' || choice === undefined || choice === null ? undefined : fields.object('function_call');
  if (named === undefined) fields.oneOf('function_call', ['none', 'auto']);
  const chosen = named === undefined ? choice : { type: 'function', function: { name: named.require('name', named.string('name')) } };
  return { fields: new Fields({ ...others, tools: described, tool_choice: chosen, parallel_tool_calls: false }), isLegacy: true };
}
