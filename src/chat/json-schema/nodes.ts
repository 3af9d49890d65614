/** The parts of one JSON schema, each with its place in it, and which keywords are known, which only describe and which are refused. */
import { LecternError } from '../../errors.js';
import { Effort } from '../pattern/effort.js';

export type SchemaObject = Record<string, unknown>;

export interface SchemaNode {
  /** In the order in which they were met; equal for the same part. */
  id: number;
  /** `false` allows nothing; `true` stands as an empty object. */
  schema: SchemaObject | false;
  /** `#/properties/name`, as `$ref` spells it. */
  pointer: string;
  /** It stands for keywords of another part, and the schema does not spell it: its `properties` say nothing of others, and its `not` names just values or a pattern. */
  isMade: boolean;
}

/** They say something about a value and change nothing of what is valid. */
const annotations = new Set([
  'title', 'description', 'default', 'examples', 'example', '$schema', '$id', 'id', '$comment', '$anchor', '$vocabulary', '$defs', 'definitions', 'deprecated', 'readOnly', 'writeOnly',
  'contentEncoding', 'contentMediaType', 'contentSchema', 'discriminator', 'xml', 'externalDocs', 'markdownDescription', 'enumNames', 'enumDescriptions', 'propertyOrdering',
  'errorMessage', 'strict', 'unevaluatedProperties', 'unevaluatedItems',
]);
/** Held by alternatives and by counting; what that cannot hold is left out, and all of them where it gets too large. */
const intricate = ['not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'dependencies', 'contains', 'minContains', 'maxContains', 'patternProperties'];
const known = new Set([
  'type', 'nullable', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref', 'properties', 'required', 'additionalProperties', 'propertyNames', 'minProperties', 'maxProperties',
  'items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems', 'minLength', 'maxLength', 'pattern', 'format',
  'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf',
  ...intricate,
]);
/** Of the path from the root: what nests deeper is no schema for an answer. */
const deepest = 200;
const mostNodes = 20_000;
/** As many as a client reads. */
const mostLeftOut = 20;
/** Some half a second of the event loop: schemas are small, and combinations of their parts multiply. */
const mostSteps = 400_000;

export class SchemaNodes {
  readonly #root: unknown;
  /** As the client knows it: "schema", "parameters of the tool 'x'". */
  readonly #where: string;
  readonly #known = new Map<unknown, SchemaNode>();
  /** Booleans have no identity: they are known by their place. */
  readonly #booleans = new Map<string, SchemaNode>();
  /** Parts whose `oneOf` was seen to have members that exclude each other. */
  readonly exclusive = new Set<SchemaNode>();
  /** Part -> the parts of which one holds where it does not; null where there are none. */
  readonly negations = new Map<SchemaNode, readonly SchemaNode[] | null>();
  /** Part of the schema -> the part that negates it. */
  readonly opposites = new Map<object, SchemaObject>();
  /** Part -> what `not`, `if` and dependencies say of it, each as the parts of which one holds. */
  readonly groups = new Map<SchemaNode, readonly (readonly SchemaNode[])[]>();
  /** Parts whose keywords for alternatives were left out. */
  readonly flattened = new Set<SchemaNode>();
  /** Of all its patterns. */
  readonly effort = new Effort();
  /** Keywords that are left out, with their places: `multipleOf at #/properties/a`. */
  readonly leftOut = new Set<string>();
  #count = 0;
  #steps = 0;

  /** `loose`: what cannot be kept is left out where the rest still means something, instead of refused; `simple`: and all that takes alternatives or counting. */
  constructor(root: unknown, where: string, private readonly loose = false, private readonly simple = false) {
    this.#root = root;
    this.#where = where;
  }

  get root(): SchemaNode {
    return this.at(this.#root, '#');
  }

  /** The node of a part of the schema. Throws `invalid_request` for what is no schema or uses a keyword that cannot be kept. */
  at(value: unknown, pointer: string): SchemaNode {
    this.spend(1);
    const found = typeof value === 'boolean' ? this.#booleans.get(pointer) : this.#known.get(value);
    if (found !== undefined) return found;
    if (pointer.length > 4096 || pointer.split('/').length > deepest) this.fail(`nests deeper than ${deepest} levels`, pointer.slice(0, 200));
    if (this.#count >= mostNodes) this.fail(`has more than ${mostNodes} parts`, pointer);
    if (typeof value !== 'boolean' && (typeof value !== 'object' || value === null || Array.isArray(value))) this.fail('must be an object or a boolean', pointer);
    const schema = value === true ? {} : value as SchemaObject | false;
    const node = this.#add(schema, pointer, false);
    if (typeof value === 'boolean') this.#booleans.set(pointer, node);
    else this.#known.set(value, node);
    for (const keyword of schema === false ? [] : Object.keys(schema)) {
      if (this.isSimple && intricate.includes(keyword)) this.leaveOut(node, keyword, 'makes the grammar too large');
      if (!known.has(keyword) && !annotations.has(keyword) && !keyword.startsWith('x-')) this.leaveOut(node, keyword);
    }
    return node;
  }

  /** Whether all that takes alternatives or counting is left out. */
  get isSimple(): boolean {
    return this.simple && this.loose;
  }

  /** A part that stands for keywords of the part at `pointer`, unless it is one of the schema. */
  make(value: SchemaObject | boolean, pointer: string): SchemaNode {
    this.spend(1);
    const found = typeof value === 'boolean' ? undefined : this.#known.get(value);
    if (found !== undefined) return found;
    if (this.#count >= mostNodes) this.fail(`has more than ${mostNodes} parts`, pointer);
    const node = this.#add(value === true ? {} : value, pointer, true);
    if (typeof value !== 'boolean') this.#known.set(value, node);
    return node;
  }

  #add(schema: SchemaObject | false, pointer: string, isMade: boolean): SchemaNode {
    const node: SchemaNode = { id: this.#count, schema, pointer, isMade };
    this.#count += 1;
    return node;
  }

  child(node: SchemaNode, value: unknown, ...steps: (string | number)[]): SchemaNode {
    return this.at(value, `${node.pointer}${steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`);
  }

  /** What `$ref` names. Throws `invalid_request` where that is nothing of this schema. */
  resolve(node: SchemaNode, reference: unknown): SchemaNode {
    if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) this.refuse(node, '$ref', 'only names parts of the same schema, as #/$defs/name does');
    let at = this.#root;
    let pointer = '#';
    for (const step of reference.slice(2).split('/').filter((_, index, all) => index > 0 || all[0] !== '')) {
      const key = decode(step).replaceAll('~1', '/').replaceAll('~0', '~');
      at = typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as SchemaObject)[key] : undefined;
      pointer += `/${step}`;
    }
    if (at === undefined) this.refuse(node, '$ref', `names ${reference.slice(0, 200)}, which is not there`);
    return this.at(at, pointer);
  }

  /** Counts what is done for this schema, its parts together. Throws `invalid_request` where that is more than an answer is worth. */
  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > mostSteps) throw new LecternError('invalid_request', `The ${this.#where} takes too many steps to work out.`);
  }

  /** Returns where the schema may be kept without the keyword; throws `invalid_request` elsewhere. */
  leaveOut(node: SchemaNode, keyword: string, reason?: string): void {
    if (!this.loose) this.refuse(node, keyword, reason);
    if (this.leftOut.size < mostLeftOut) this.leftOut.add(`${keyword.slice(0, 100)} at ${node.pointer.slice(0, 300)}`);
  }

  /** Throws `invalid_request`. */
  refuse(node: SchemaNode, keyword: string, reason = 'is not supported'): never {
    const at = `${node.pointer}/${keyword.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    throw new LecternError('invalid_request', `The ${this.#where} cannot be kept: '${keyword.slice(0, 100)}' at ${at.slice(0, 300)} ${reason}.`);
  }

  fail(reason: string, pointer: string): never {
    throw new LecternError('invalid_request', `The ${this.#where} ${reason} at ${pointer}.`);
  }
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

/** Parts that all hold for one value, none of which refers to others any more but for its own properties and items. */
export type Together = readonly SchemaNode[];
