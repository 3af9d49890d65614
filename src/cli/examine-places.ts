/** What `lectern doctor` looks at around the program: the state directory, the models' directories, the ports. */
import { accessSync, constants, existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname } from 'node:path';
import { Service } from '../client/service.js';
import type { Settings } from '../config.js';
import { openEngine } from '../engine/engine.js';
import { listenOn } from '../listen.js';
import { openCatalogue } from '../language.js';
import { createLog } from '../log.js';
import { describeBytes } from '../models/fit.js';
import type { Address } from '../setting-kinds.js';

export interface Finding {
  /** `note`: works, and could be better. */
  state: 'good' | 'note' | 'bad';
  what: string;
  /** What to do about it. */
  advice?: string;
}

/** Tasks of a hundred large documents want some room. */
const fewBytes = 5 * 2 ** 30;

export async function examineState({ state }: Settings): Promise<Finding[]> {
  let nearest = state;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  const what = `state directory: ${state}`;
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch {
    return [{ state: 'bad', what, advice: `${nearest} cannot be written by this user; make it its own (chown), or name another with --state` }];
  }
  const { bavail, bsize } = await statfs(nearest);
  const free = bavail * bsize;
  const withFree = `${what}, ${describeBytes(free)} free`;
  return [free >= fewBytes ? { state: 'good', what: withFree } : { state: 'note', what: withFree, advice: 'uploads and results need room: free some, or name another directory with --state' }];
}

/** One line a directory, and one for each file that cannot be used. */
export async function examineModels({ models: directories }: Settings): Promise<Finding[]> {
  const findings = directories.map((directory): Finding => {
    if (!existsSync(directory)) return { state: 'note', what: `models: ${directory} does not exist`, advice: 'make it, or leave it out of --models' };
    try {
      accessSync(directory, constants.R_OK | constants.X_OK);
      return { state: 'good', what: `models: ${directory}` };
    } catch {
      return { state: 'bad', what: `models: ${directory} cannot be read by this user`, advice: 'give it the right to read (chmod o+rx, or a common group)' };
    }
  });
  let engine;
  try {
    engine = openEngine();
  } catch {
    return findings;
  }
  try {
    const catalogue = openCatalogue({ models: directories, aliases: new Map() }, engine, createLog('silent'));
    const found = await catalogue.list();
    findings.push(found.length > 0
      ? { state: 'good', what: `models: ${found.length} usable: ${found.slice(0, 8).map(({ name }) => name).join(', ')}${found.length > 8 ? ', ...' : ''}` }
      : { state: 'note', what: 'models: none is usable', advice: 'pull one (`lectern models pull NAME`), or name a directory of GGUF files with --models' });
    for (const { name, path, reason } of await catalogue.refused()) findings.push({ state: 'note', what: `models: ${name} is left out`, advice: `${reason} (${path})` });
  } finally {
    await engine.close();
  }
  return findings;
}

/** Free, taken by a Lectern that already runs, or taken by somebody else. */
export async function examinePort(address: Address): Promise<Finding> {
  const where = `port: ${address.host}:${address.port}`;
  try {
    const { close } = await listenOn(createServer(), [address]);
    await close();
    return { state: 'good', what: `${where} is free` };
  } catch (thrown) {
    const host = address.host === '0.0.0.0' || address.host === '::' ? '127.0.0.1' : address.host;
    const service = new Service(`http://${host.includes(':') ? `[${host}]` : host}:${address.port}`);
    const version = await service.json<{ lectern?: string }>('version', { signal: AbortSignal.timeout(3000) }).catch(() => null);
    if (typeof version?.lectern === 'string') return { state: 'good', what: `${where}: Lectern ${version.lectern} serves there` };
    return { state: 'bad', what: `${where} cannot be opened`, advice: (thrown as Error).message };
  }
}
