/** Calls of tools in an answer, whole or cut off, read from the JSON objects that the model writes. */
import type { CutCall, ToolCall } from '../conversation.js';
import { CallScanner } from '../output/call-scanner.js';
import type { OfferedTool } from '../output/json-calls.js';
import type { OutputSyntax } from '../output/reader.js';
import type { ToolDialect } from './dialect.js';

/** The tools that an answer may call, and the key of their arguments. */
export interface CalledTools {
  tools: readonly OfferedTool[];
  argumentsKey: ToolDialect['argumentsKey'];
}

/** Without tools nothing is a call. */
export function readersOf(called: CalledTools | null): Pick<OutputSyntax, 'readCall' | 'readCutCall'> {
  if (called === null) return { readCall: () => null, readCutCall: () => null };
  const { argumentsKey } = called;
  const names = new Set(called.tools.map(({ name }) => name));
  return {
    readCall: (value) => readCall(value, names, argumentsKey),
    readCutCall: (source) => readCutCall(source, names, argumentsKey),
  };
}

/** Null for an object that is no call of these tools. */
function readCall(value: Record<string, unknown>, names: ReadonlySet<string>, argumentsKey: string): Omit<ToolCall, 'id'> | null {
  const { name } = value;
  const given = value[argumentsKey];
  if (typeof name !== 'string' || !names.has(name)) return null;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null;
  return { name, arguments: given as Record<string, unknown> };
}

/** Null where the beginning of an object does not say which tool it calls. The name stands first, by the grammar. */
function readCutCall(source: string, names: ReadonlySet<string>, argumentsKey: string): Omit<CutCall, 'id'> | null {
  const [only, ...others] = names;
  const written = /^\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(source);
  const name = written === null ? (others.length === 0 ? only : undefined) : namedBy(written[1] as string, names);
  if (name === undefined) return null;
  const behindName = source.slice(written?.[0].length ?? source.length);
  const given = new RegExp(`^\\s*,\\s*"${argumentsKey}"\\s*:\\s*`).exec(behindName);
  const begun = behindName.slice(given?.[0].length ?? behindName.length);
  // Only the call's own brace may lack.
  const [whole] = new CallScanner().push(begun);
  return { name, arguments: whole ?? begun };
}

function namedBy(literal: string, names: ReadonlySet<string>): string | undefined {
  // The grammar spells a name as JSON does.
  return [...names].find((name) => JSON.stringify(name) === literal);
}
