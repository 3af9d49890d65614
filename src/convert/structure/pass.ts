/** Passes over a document: what each reads and writes, and a list of them in an order that is checked. */
import type { BlockFact, DocumentInput, DocumentState } from './document-state.js';

/** A field of the state, or what is written into its blocks. */
export type PassValue = keyof DocumentState | BlockFact;

export interface Pass {
  /** Says what the pass does. */
  name: string;
  reads: readonly PassValue[];
  writes: readonly PassValue[];
  /** Returns the written fields. Blocks and lines may be changed in place. */
  run: (state: DocumentState) => Partial<DocumentState>;
}

/** The fields among some values. */
type Fields<Value extends PassValue> = Pick<DocumentState, Value & keyof DocumentState>;

/** A pass whose `run` sees the fields that it reads and no others, and returns all fields that it writes. */
export function definePass<const Reads extends PassValue, const Writes extends PassValue>(
  pass: { name: string; reads: readonly Reads[]; writes: readonly Writes[]; run: (state: Fields<Reads>) => Fields<Writes> },
): Pass {
  return pass;
}

/** The passes as they are. Throws an Error with the names when a pass reads what neither the input nor a pass before it writes. */
export function inOrder(passes: readonly Pass[], input: readonly (keyof DocumentInput)[]): readonly Pass[] {
  const known = new Set<PassValue>(input);
  for (const { name, reads, writes } of passes) {
    const unknown = reads.filter((value) => !known.has(value));
    if (unknown.length > 0) {
      const later = unknown.map((value) => passes.find((pass) => pass.writes.includes(value))?.name ?? 'no pass');
      throw new Error(`The pass '${name}' reads ${unknown.map((value, index) => `'${value}' (written by ${later[index] === 'no pass' ? 'no pass' : `'${later[index]}'`})`).join(' and ')} before it is written.`);
    }
    for (const value of writes) known.add(value);
  }
  return passes;
}

/** Runs the passes one after the other. */
export function runPasses(passes: readonly Pass[], input: DocumentInput): DocumentState {
  // The order was checked: no pass reads a field that is missing.
  const state = { ...input } as DocumentState;
  for (const pass of passes) Object.assign(state, pass.run(state));
  return state;
}
