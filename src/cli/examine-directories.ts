/** What `lectern doctor` checks around the program: the state directory, the models' directories, the ports. */
import { accessSync, constants, existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { createServer, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { dirname } from 'node:path';
import type { Settings } from '../settings/settings.js';
import { leastFreeBytes, roomIn } from '../platform/disk-space.js';
import { openEngine } from '../engine/engine.js';
import { listenOn } from '../network/listen.js';
import { openCatalogue } from '../program/language-half.js';
import { silentLog } from '../logging/lazy-log.js';
import { describeBytes } from '../models/fit.js';
import { whyUnreadable } from '../models/unreadable.js';
import { createVisionCatalogue } from '../models/vision-catalogue.js';
import { authorityOf } from '../network/address.js';
import type { ListenAddress } from '../network/listen-address.js';
import { brokenOwnNetworks, isOwnNetwork } from './own-networks.js';

export interface Finding {
  /** `note`: works, and could be better. */
  state: 'good' | 'note' | 'bad';
  what: string;
  /** What to do about it. */
  advice?: string;
}

/** Tasks of a hundred large documents want some room. */
const fewBytes = 5 * 2 ** 30;

export async function examineState({ state }: Pick<Settings, 'state'>, look: (path: string) => Promise<Parameters<typeof roomIn>[0]> = statfs): Promise<Finding[]> {
  let nearest = state;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  const what = `state directory: ${state}`;
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch {
    return [{ state: 'bad', what, advice: `${nearest} cannot be written by this user; make it its own (chown), or name another with --state` }];
  }
  const disk = await look(nearest);
  const free = disk.bavail * disk.bsize;
  const withFree = `${what}, ${describeBytes(free)} free`;
  // A file system that counts no blocks, as /proc, is no place for tasks either.
  if (free < leastFreeBytes || roomIn(disk).state !== 'roomy') return [{ state: 'bad', what: withFree, advice: 'the disk is full, or nearly: conversions get 507, and accepted ones wait; free some room, or name another directory with --state' }];
  return [free >= fewBytes ? { state: 'good', what: withFree } : { state: 'note', what: withFree, advice: 'uploads and results need room: free some, or name another directory with --state' }];
}

/** One line a directory, and one for each file that cannot be used. `named`: the user asked for these directories, and the service is not ready without them. */
export async function examineModels({ models: directories }: Pick<Settings, 'models'>, named: boolean): Promise<Finding[]> {
  const findings = await Promise.all(directories.map(async (directory): Promise<Finding> => {
    const reason = await whyUnreadable(directory);
    const what = `models: ${directory}${reason === null ? '' : ` ${reason}`}`;
    if (reason === null) return { state: 'good', what };
    if (reason === 'does not exist' && !named) return { state: 'note', what: `models: ${directory} does not exist yet`, advice: '`lectern models pull NAME` makes it; or put GGUF files there' };
    if (reason === 'does not exist') return { state: 'bad', what, advice: 'make it, or leave it out of --models: until then the service starts, and /ready answers 503' };
    if (reason === 'is no directory') return { state: 'bad', what, advice: 'name the directory that holds the file, or leave it out of --models' };
    return { state: 'bad', what, advice: 'give this user the right to read it (chmod o+rx, or a common group)' };
  }));
  let engine;
  try {
    engine = openEngine();
  } catch {
    return findings;
  }
  try {
    const catalogue = openCatalogue({ models: directories, aliases: new Map() }, engine, silentLog);
    const found = await catalogue.list();
    findings.push(found.length > 0
      ? { state: 'good', what: `models: ${found.length} usable: ${shortList(found.map(({ name }) => name))}` }
      : { state: 'note', what: 'models: none is usable', advice: 'pull one (`lectern models pull NAME`), or name a directory of GGUF files with --models' });
    const vision = createVisionCatalogue({ directories });
    const seeing = (await vision.list()).map(({ name }) => name).filter((name) => !isOwnNetwork(name));
    if (seeing.length > 0) findings.push({ state: 'good', what: `vision models: ${seeing.length} usable: ${shortList(seeing)}` });
    for (const { name, path, reason } of [...await catalogue.refused(), ...await vision.refused(), ...await brokenOwnNetworks()]) findings.push({ state: 'note', what: `models: ${name} is left out`, advice: `${reason} (${path})` });
  } finally {
    await engine.close();
  }
  return findings;
}

function shortList(names: string[]): string {
  return `${names.slice(0, 8).join(', ')}${names.length > 8 ? ', ...' : ''}`;
}

/** Free, taken by a Lectern that already runs, or taken by another program. */
export async function examinePort(address: ListenAddress): Promise<Finding> {
  const where = `port: ${authorityOf(address.host, address.port)}`;
  try {
    const { close } = await listenOn(createServer(), [address]);
    await close();
    return { state: 'good', what: `${where} is free` };
  } catch (thrown) {
    const host = address.host === '0.0.0.0' || address.host === '::' ? '127.0.0.1' : address.host;
    const authority = authorityOf(host, address.port);
    const who = await lecternAt(`http://${authority}/version`) ?? await lecternAt(`https://${authority}/version`);
    if (who !== undefined) return { state: 'good', what: `${where}: ${who} serves there` };
    return { state: 'bad', what: `${where} cannot be opened`, advice: (thrown as Error).message };
  }
}

const answerMs = 3000;

/** The Lectern that answers there, with its version where it reports it; undefined for any other program. */
function lecternAt(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const isTls = url.startsWith('https:');
    // Only a check: nothing secret is sent, so it need not prove who it is.
    const request = (isTls ? requestHttps : requestHttp)(url, { signal: AbortSignal.timeout(answerMs), agent: false, ...(isTls ? { rejectUnauthorized: false } : {}) }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => { text += piece; }).on('error', () => resolve(undefined));
      answer.on('end', () => resolve(judge(answer.statusCode ?? 0, answer.headers, text)));
    });
    request.on('error', () => resolve(undefined)).end();
  });
}

/** Refusals of the access list, and of --show-version no, bear Lectern's request id and no server's name. */
function judge(status: number, headers: Record<string, unknown>, text: string): string | undefined {
  try {
    const { lectern, detail } = JSON.parse(text) as { lectern?: unknown; detail?: unknown };
    if (typeof lectern === 'string') return `Lectern ${lectern}`;
    return status === 403 && typeof detail === 'string' && headers['x-request-id'] !== undefined && headers['server'] === undefined ? 'a Lectern that does not tell its version' : undefined;
  } catch {
    return undefined;
  }
}
