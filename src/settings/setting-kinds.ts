/** The kinds of values that settings have, and how each is read from text. */
import { resolve } from 'node:path';
import { homeDirectory } from '../platform/home-directory.js';
import { type Network, parseNetwork } from '../network/address.js';
import { type ListenAddress, parseListenAddress } from '../network/listen-address.js';

export interface SettingKind<T> {
  /** undefined when the text is not of this kind. */
  parse(text: string): T | undefined;
  /** Ends the sentence "… must be". */
  expects: string;
}

const byteUnits: Record<string, number> = { '': 1, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, KB: 1e3, MB: 1e6, GB: 1e9 };
const secondUnits: Record<string, number> = { '': 1, s: 1, m: 60, h: 3600, d: 86400 };

function list<T>(item: (text: string) => T | undefined): (text: string) => T[] | undefined {
  return (text) => {
    const items = text.split(',').map((part) => part.trim()).filter((part) => part !== '').map(item);
    return items.some((value) => value === undefined) ? undefined : (items as T[]);
  };
}

function withUnit(text: string, units: Record<string, number>): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([A-Za-z]*)$/.exec(text);
  const unit = match === null ? undefined : units[match[2] as string];
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit;
}

function parsePath(text: string): string | undefined {
  return text === '' ? undefined : resolve(text.replace(/^~(?=\/|$)/, homeDirectory()));
}

const flag: SettingKind<boolean> = {
  parse: (text) => {
    if (/^(yes|true|on|1)$/i.test(text)) return true;
    return /^(no|false|off|0)$/i.test(text) ? false : undefined;
  },
  expects: 'yes or no',
};

export const kinds = {
  flag,
  path: { parse: parsePath, expects: 'a path' } as SettingKind<string>,
  /** null for an empty text. */
  optionalPath: { parse: (text) => (text === '' ? null : parsePath(text)), expects: 'a path, or nothing' } as SettingKind<string | null>,
  networks: { parse: list(parseNetwork), expects: 'addresses or networks (10.0.0.0/8) separated by commas' } as SettingKind<Network[]>,
  paths: { parse: list(parsePath), expects: 'paths separated by commas' } as SettingKind<string[]>,
  words: { parse: list((text) => text), expects: 'words separated by commas' } as SettingKind<string[]>,
  hosts: {
    parse: list((text) => (/^(\*\.)?[a-z0-9.-]+(:\d+)?$/i.test(text) ? text.toLowerCase() : undefined)),
    expects: 'host names separated by commas (*.example.org for all below, host:port for one port)',
  } as SettingKind<string[]>,
  addresses: {
    parse: (text) => {
      const found = list(parseListenAddress)(text);
      return found === undefined || found.length === 0 ? undefined : found;
    },
    expects: 'addresses as host:port, separated by commas',
  } as SettingKind<ListenAddress[]>,
  bytes: { parse: (text) => wholeOrNothing(withUnit(text, byteUnits)), expects: 'a size such as 100MiB' } as SettingKind<number>,
  /** Seconds. */
  duration: { parse: (text) => positive(withUnit(text, secondUnits)), expects: 'a time such as 120s, 5m or 4h' } as SettingKind<number>,
  count: (least: number, most: number): SettingKind<number> => ({
    parse: (text) => (/^\d+$/.test(text) ? within(Number(text), least, most) : undefined),
    expects: `a whole number from ${least} to ${most}`,
  }),
  decimal: (least: number, most: number): SettingKind<number> => ({
    parse: (text) => (/^\d+(\.\d+)?$/.test(text) ? within(Number(text), least, most) : undefined),
    expects: `a number from ${least} to ${most}`,
  }),
  /** The word `auto` for null: the service finds the value itself. */
  orAuto: <T>(kind: SettingKind<T>): SettingKind<T | null> => ({
    parse: (text) => (text === 'auto' ? null : kind.parse(text)),
    expects: `auto or ${kind.expects}`,
  }),
  /** `NAME=VALUE,NAME=VALUE`, by name. */
  byName: <T>(kind: SettingKind<T>): SettingKind<ReadonlyMap<string, T>> => ({
    parse: (text) => {
      const pairs = list((part) => readPair(part, kind))(text);
      return pairs === undefined ? undefined : new Map(pairs);
    },
    expects: `pairs NAME=VALUE separated by commas, where each value is ${kind.expects}`,
  }),
  word: { parse: (text) => (text === '' ? undefined : text), expects: 'a name' } as SettingKind<string>,
  /** Also nothing. */
  optionalWord: { parse: (text) => text, expects: 'a name, or nothing' } as SettingKind<string>,
  /** Seconds; 0 at once, Infinity (any negative number) for ever. */
  keepAlive: {
    parse: (text) => (text.startsWith('-') && positive(withUnit(text.slice(1), secondUnits)) !== undefined ? Infinity : withUnit(text, secondUnits)),
    expects: 'a time such as 5m, 0 for no time at all, or a negative number for ever',
  } as SettingKind<number>,
  oneOf: <Word extends string>(...words: Word[]): SettingKind<Word> => ({
    parse: (text) => words.find((word) => word === text),
    expects: `one of ${words.join(', ')}`,
  }),
};

function readPair<T>(text: string, kind: SettingKind<T>): [string, T] | undefined {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(at, 0)).trim();
  const value = at < 0 ? undefined : kind.parse(text.slice(at + 1).trim());
  return name === '' || value === undefined ? undefined : [name, value];
}

function within(value: number, least: number, most: number): number | undefined {
  return value >= least && value <= most ? value : undefined;
}

function wholeOrNothing(value: number | undefined): number | undefined {
  return value === undefined ? undefined : within(Math.floor(value), 1, Number.MAX_SAFE_INTEGER);
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined;
}
