/** Runs a Go template, within bounds: it is a stranger's program. */
import { LecternError } from '../../../errors.js';
import { callGo, goFailure, isTrue, printed } from './functions.js';
import { GoMap, type GoNode, type GoTemplate, type GoValue, type Operand, type Pipeline } from './tree.js';

const deepestCalls = 100;
const longestRange = 10_000;

export interface GoSurroundings {
  now: Date;
  /** Characters and values in the data, which set how long the template may run and how much it may write. */
  inputSize: number;
}

/** Throws `invalid_request` where the template cannot take this data, `invalid_model` where it runs or writes past its bounds. */
export function executeGo(template: GoTemplate, data: GoMap, surroundings: GoSurroundings): string {
  return new Execution(template, surroundings).run(data);
}

/** Variables of one scope and those around it. */
class Scope {
  readonly #variables = new Map<string, GoValue>();
  readonly #outer: Scope | null;

  constructor(outer: Scope | null) {
    this.#outer = outer;
  }

  declare(name: string, value: GoValue): void {
    this.#variables.set(name, value);
  }

  assign(name: string, value: GoValue): void {
    if (this.#variables.has(name) || this.#outer === null) this.#variables.set(name, value);
    else this.#outer.assign(name, value);
  }

  get(name: string): GoValue {
    return this.#variables.has(name) || this.#outer === null ? this.#variables.get(name) : this.#outer.get(name);
  }
}

type Ending = 'break' | 'continue' | null;

class Execution {
  readonly #template: GoTemplate;
  readonly #now: Date;
  readonly #most: number;
  #steps: number;
  #written = 0;
  #depth = 0;
  readonly #output: string[] = [];

  constructor(template: GoTemplate, { now, inputSize }: GoSurroundings) {
    this.#template = template;
    this.#now = now;
    this.#most = (1 << 22) + 4 * inputSize;
    this.#steps = 1_000_000 + inputSize;
  }

  run(data: GoMap): string {
    this.#nodes(this.#template.body, data, this.#rootScope(data));
    return this.#output.join('');
  }

  #rootScope(data: GoValue): Scope {
    const scope = new Scope(null);
    scope.declare('', data);
    return scope;
  }

  #nodes(nodes: readonly GoNode[], dot: GoValue, scope: Scope): Ending {
    for (const node of nodes) {
      this.#spend(1);
      const ending = this.#node(node, dot, scope);
      if (ending !== null) return ending;
    }
    return null;
  }

  #node(node: GoNode, dot: GoValue, scope: Scope): Ending {
    switch (node.kind) {
      case 'text':
        this.#write(node.text);
        return null;
      case 'action': {
        const value = this.#pipeline(node.pipeline, dot, scope);
        if (node.pipeline.variables.length === 0) this.#write(printed(value));
        return null;
      }
      case 'if': case 'with': {
        const inner = new Scope(scope);
        const value = this.#pipeline(node.pipeline, dot, inner);
        if (isTrue(value)) return this.#nodes(node.body, node.kind === 'with' ? value : dot, new Scope(inner));
        return this.#nodes(node.otherwise, dot, new Scope(inner));
      }
      case 'range': return this.#range(node.pipeline, node, dot, new Scope(scope));
      case 'template': {
        const value = node.pipeline === null ? null : this.#pipeline(node.pipeline, dot, scope);
        return this.#call(node.name, value);
      }
      default: return node.kind;
    }
  }

  #range(pipeline: Pipeline, node: { body: GoNode[]; otherwise: GoNode[] }, dot: GoValue, scope: Scope): Ending {
    const { variables, assigns } = pipeline;
    const entries = entriesOf(this.#pipeline({ ...pipeline, variables: [] }, dot, scope));
    for (const [key, item] of entries) {
      const inner = new Scope(scope);
      for (const [place, name] of variables.entries()) {
        const value = place === 0 && variables.length === 2 ? key : item;
        if (assigns) scope.assign(name, value);
        else inner.declare(name, value);
      }
      this.#spend(1);
      if (this.#nodes(node.body, item, inner) === 'break') break;
    }
    return entries.length === 0 ? this.#nodes(node.otherwise, dot, new Scope(scope)) : null;
  }

  #call(name: string, data: GoValue): null {
    this.#depth += 1;
    if (this.#depth > deepestCalls) throw new LecternError('invalid_model', 'The model\'s Go template calls itself without end.');
    this.#nodes(this.#template.named.get(name) ?? [], data, this.#rootScope(data));
    this.#depth -= 1;
    return null;
  }

  #pipeline({ variables, assigns, commands }: Pipeline, dot: GoValue, scope: Scope): GoValue {
    let value: GoValue;
    for (const [place, command] of commands.entries()) value = this.#command(command, dot, scope, place > 0 ? [value] : []);
    for (const name of variables) {
      if (assigns) scope.assign(name, value);
      else scope.declare(name, value);
    }
    return value;
  }

  #command(command: readonly Operand[], dot: GoValue, scope: Scope, piped: readonly GoValue[]): GoValue {
    const [first, ...rest] = command;
    if (first === undefined) return null;
    if (first.kind !== 'call') {
      if (piped.length > 0) throw goFailure('a value is piped into what is no function');
      return this.#operand(first, dot, scope);
    }
    if (first.name === 'and' || first.name === 'or') return this.#logic(first.name === 'and', rest, dot, scope, piped);
    const args = [...rest.map((operand) => this.#operand(operand, dot, scope)), ...piped];
    const value = callGo(first.name, args, this.#now);
    this.#weigh(value);
    return value;
  }

  /** The first argument that decides, or the last. */
  #logic(isAnd: boolean, operands: readonly Operand[], dot: GoValue, scope: Scope, piped: readonly GoValue[]): GoValue {
    let value: GoValue;
    for (const operand of operands) {
      value = this.#operand(operand, dot, scope);
      if (isTrue(value) !== isAnd) return value;
    }
    return piped.length > 0 ? piped[0] : value;
  }

  #operand(operand: Operand, dot: GoValue, scope: Scope): GoValue {
    this.#spend(1);
    switch (operand.kind) {
      case 'constant': return operand.value;
      case 'dot': return dot;
      case 'variable': return scope.get(operand.name);
      case 'call': return this.#command([operand], dot, scope, []);
      case 'pipeline': return this.#pipeline(operand.pipeline, dot, scope);
      case 'field': return fieldOf(this.#operand(operand.of, dot, scope), operand.name);
    }
  }

  #weigh(value: GoValue): void {
    if (typeof value === 'string') {
      if (value.length > this.#most) throw writesTooMuch(this.#most);
      this.#spend(value.length >>> 8);
    } else if (Array.isArray(value)) this.#spend(value.length >>> 4);
  }

  #write(text: string): void {
    this.#written += text.length;
    if (this.#written > this.#most) throw writesTooMuch(this.#most);
    this.#output.push(text);
  }

  #spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new LecternError('invalid_model', 'The model\'s Go template runs without end.');
  }
}

function fieldOf(value: GoValue, name: string): GoValue {
  if (value instanceof GoMap) return value.fields.get(name);
  if (value === null || value === undefined) return undefined;
  throw goFailure(`a ${Array.isArray(value) ? 'list' : typeof value} has no field '${name}'`);
}

/** A map's keys in order. */
function entriesOf(value: GoValue): [GoValue, GoValue][] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.map((item: GoValue, index) => [index, item]);
  if (value instanceof GoMap && !value.isStruct) return [...value.fields].sort(([one], [other]) => (one < other ? -1 : 1));
  if (typeof value === 'number' && value <= longestRange) return Array.from({ length: Math.max(0, value) }, (_, index) => [index, index]);
  throw goFailure('\'range\' over what is no list');
}

function writesTooMuch(most: number): LecternError {
  return new LecternError('invalid_model', `The model's Go template writes more than ${most} characters.`);
}
