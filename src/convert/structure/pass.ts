/** Passes over a document: the fields that each reads and writes, and an ordered list whose order is checked. */
import type { BlockFact, DocumentInput, DocumentState } from './document-state.js';

/** A field of the state, or a property that is written into its blocks. */
export type PassValue = keyof DocumentState | BlockFact;

export interface Pass {
  /** The effect of the pass. */
  name: string;
  reads: readonly PassValue[];
  writes: readonly PassValue[];
  /** Returns the written fields. Blocks and lines may be changed in place. */
  run: (state: DocumentState) => Partial<DocumentState>;
}

/** The fields among some values. */
type Fields<Value extends PassValue> = Pick<DocumentState, Value & keyof DocumentState>;

/** A pass whose `run` receives only the fields that it reads, and returns all fields that it writes. */
export function definePass<const Reads extends PassValue, const Writes extends PassValue>(
  pass: { name: string; reads: readonly Reads[]; writes: readonly Writes[]; run: (state: Fields<Reads>) => Fields<Writes> },
): Pass {
  return pass;
}

/** The passes unchanged. Throws an Error with the names if a pass reads a field that neither the input nor an earlier pass provides. */
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
