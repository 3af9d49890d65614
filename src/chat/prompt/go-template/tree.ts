/** What a Go template is made of, and what its values are. */

export type GoNode =
  | { kind: 'text'; text: string }
  | { kind: 'action'; pipeline: Pipeline }
  | { kind: 'if' | 'with' | 'range'; pipeline: Pipeline; body: GoNode[]; otherwise: GoNode[] }
  | { kind: 'template'; name: string; pipeline: Pipeline | null }
  | { kind: 'break' | 'continue' };

/** `$i, $e := a | b c`: commands, each given the value of the one before as its last argument. */
export interface Pipeline {
  variables: string[];
  /** `=` instead of `:=`. */
  assigns: boolean;
  commands: Operand[][];
}

export type Operand =
  | { kind: 'constant'; value: string | number | boolean | null }
  | { kind: 'dot' }
  | { kind: 'variable'; name: string }
  | { kind: 'call'; name: string }
  | { kind: 'pipeline'; pipeline: Pipeline }
  | { kind: 'field'; of: Operand; name: string };

export interface GoTemplate {
  body: GoNode[];
  /** From define and block. */
  named: ReadonlyMap<string, GoNode[]>;
  /** Every field that is read anywhere, as Ollama's variables are found. */
  fields: ReadonlySet<string>;
}

export type GoValue = string | number | boolean | null | undefined | GoList | GoMap;
export type GoList = readonly GoValue[];

/** A struct or a map. */
export class GoMap {
  readonly fields: ReadonlyMap<string, GoValue>;
  /** What printing gives, and `json`. */
  readonly json: unknown;
  /** A struct is true even when empty. */
  readonly isStruct: boolean;

  constructor(fields: Iterable<readonly [string, GoValue]>, json: unknown, isStruct: boolean) {
    this.fields = new Map(fields);
    this.json = json;
    this.isStruct = isStruct;
  }
}
