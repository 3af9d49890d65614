/** Expressions as GBNF spells them. */
import type { Expression, Ranges } from './expression.js';

const lastPoint = 0x10ffff;

export function print(expression: Expression): string {
  switch (expression.kind) {
    case 'text': return `"${[...expression.text].map((point) => escapePoint(point.codePointAt(0) ?? 0, '"\\')).join('')}"`;
    case 'class': return printClass(expression.ranges);
    case 'rule': return expression.name;
    case 'sequence': return expression.items.length === 0 ? '""' : expression.items.map((item) => (item.kind === 'choice' ? `(${print(item)})` : print(item))).join(' ');
    case 'choice': return expression.options.map(print).join(' | ');
    case 'repeat': return `${printRepeated(expression.item)}${printCount(expression.least, expression.most)}`;
  }
}

function printRepeated(item: Expression): string {
  return item.kind === 'class' || item.kind === 'rule' || (item.kind === 'text' && [...item.text].length === 1) ? print(item) : `(${print(item)})`;
}

function printCount(least: number, most: number): string {
  if (most === Infinity) return least === 0 ? '*' : least === 1 ? '+' : `{${least},}`;
  if (least === 0 && most === 1) return '?';
  return least === most ? `{${least}}` : `{${least},${most}}`;
}

/** A class that ends with the last code point is shorter by what it leaves out. */
function printClass(ranges: Ranges): string {
  const negated = ranges.at(-1)?.[1] === lastPoint && ranges.length > 1;
  const shown = negated ? gapsOf(ranges) : ranges;
  if (shown.length === 0) return '.';
  return `[${negated ? '^' : ''}${shown.map(([first, last]) => (first === last ? classPoint(first) : `${classPoint(first)}-${classPoint(last)}`)).join('')}]`;
}

/** What lies between the ranges, surrogates left out: no UTF-8 spells them. */
function gapsOf(ranges: Ranges): Ranges {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [first, last] of ranges) {
    if (first > next && !(next === 0xd800 && first === 0xe000)) gaps.push([next, first - 1]);
    next = last + 1;
  }
  return gaps;
}

function classPoint(point: number): string {
  return escapePoint(point, '\\]^-[');
}

function escapePoint(point: number, special: string): string {
  if (point < 0x20 || point === 0x7f || (point < 0x80 && special.includes(String.fromCodePoint(point)))) {
    return `\\x${point.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return String.fromCodePoint(point);
}
