/** Vision models that exist: network files with their cards in the model directories, checked again at each request. */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { VisionNetworks } from '../engine/vision-port.js';
import { LecternError } from '../errors.js';
import { FileCache, type FileState, filesBelow, invalid, readWithin, stateOf } from './files.js';
import { misfit } from './card-fit.js';
import { readOnnxHeader } from './onnx-header.js';
import type { ModelsLog, RefusedModel } from './types.js';
import type { VisionEntry } from './vision-entry.js';
import { angleOf, type CardedNetwork, detectorOf, layoutOf, readerOf, tableOf } from './vision-networks.js';

export interface VisionCatalogue {
  /** By name. */
  list(): Promise<VisionEntry[]>;
  refused(): Promise<RefusedModel[]>;
  /** Throws `model_not_found`, and `invalid_model` with the reason for one that is there and refused. */
  find(name: string): Promise<VisionEntry>;
}

interface Found {
  listed: Map<string, VisionEntry>;
  refused: RefusedModel[];
}

const mostCardBytes = 2 ** 20;
const deepest = 4;
/** What exporters call every file. */
const plainStem = /^(model|inference)$/;
/** Ours have cards of their own and are read elsewhere: see convert/ocr/own.ts. */
const ownStems = new Set(['lectern-recogniser', 'lectern-orientation', 'lectern-detector', 'lectern-layout']);

/** What was read of files, as long as they stay as they are. */
interface Read {
  readHeader: typeof readOnnxHeader;
  cards: FileCache<CardedNetwork | { reason: string }>;
  /** Whether a network is whole and what its card says: null, or why not. */
  misfits: FileCache<string | null>;
}

export interface VisionCatalogueOptions {
  directories: readonly string[];
  /** Hears of each that is left out, once for each reason. */
  log?: ModelsLog;
  /** Tests bring their own. */
  readHeader?: typeof readOnnxHeader;
}

export function createVisionCatalogue({ directories, log, readHeader = readOnnxHeader }: VisionCatalogueOptions): VisionCatalogue {
  const known: Read = { readHeader, cards: new FileCache(), misfits: new FileCache() };
  let said = new Map<string, string>();
  const tell = (refused: readonly RefusedModel[]): void => {
    const sentences = new Map(refused.map(({ name, path, reason }) => [`${name} ${path}`, `The model ${JSON.stringify(name)} of ${path} is left out: ${reason}.`]));
    for (const [key, sentence] of sentences) if (said.get(key) !== sentence) log?.('warn', sentence);
    said = sentences;
  };
  const look = async (): Promise<Found> => {
    const found: Found = { listed: new Map(), refused: [] };
    for (const root of directories) await lookInto(root, known, found);
    known.cards.forgetUnused();
    known.misfits.forgetUnused();
    tell(found.refused);
    return found;
  };
  return {
    list: async () => [...(await look()).listed.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    refused: async () => (await look()).refused,
    find: async (name) => {
      const { listed, refused } = await look();
      const entry = listed.get(name.toLowerCase());
      if (entry !== undefined) return entry;
      const why = refused.find((one) => one.name.toLowerCase() === name.toLowerCase());
      const shown = JSON.stringify(name.slice(0, 200));
      if (why !== undefined) throw new LecternError('invalid_model', `The model ${shown} cannot be used: ${why.reason}.`);
      throw new LecternError('model_not_found', `There is no vision model ${shown}.`);
    },
  };
}

interface Member {
  path: string;
  state: FileState;
  network: CardedNetwork;
}

/** Adds what lies below `root`: a directory's text networks are one model, every other network is one. */
async function lookInto(root: string, known: Read, found: Found): Promise<void> {
  const ofStore = new Set(['blobs', 'manifests']);
  // Whether a directory can be read at all is reported by the language models' catalogue, which reads the same ones.
  const files = await filesBelow(root, { depth: deepest, enters: (below) => !ofStore.has(below) }).catch((): string[] => []);
  const groups = new Map<string, Member[]>();
  const broken = new Map<string, string>();
  for (const below of files.filter((file) => /\.onnx$/i.test(file))) {
    const path = join(root, below);
    const stem = basename(path).slice(0, -'.onnx'.length);
    if (ownStems.has(stem)) continue;
    const name = plainStem.test(stem) && dirname(below) !== '.' ? basename(dirname(path)) : stem;
    const state = await stateOf(path);
    const network = state === null ? { reason: 'it is no file that can be read' } : await networkOf(root, state, known).catch((thrown: unknown) => ({ reason: (thrown as Error).message }));
    if (state === null || 'reason' in network) {
      found.refused.push({ name, path, reason: (network as { reason: string }).reason });
      broken.set(dirname(path), `${basename(path)} is left out`);
    } else if (network.card.kind === 'layout' || network.card.kind === 'table') await add(found, name, path, [{ path, state, network }]);
    else groups.set(dirname(path), [...(groups.get(dirname(path)) ?? []), { path, state, network }]);
  }
  for (const [directory, members] of groups) await add(found, basename(directory), directory, members, broken.get(directory));
}

/** The network with its card, where both are whole and go together. Reasons name the card's file. Rejects as readWithin(). */
async function networkOf(root: string, state: FileState, known: Read): Promise<CardedNetwork | { reason: string }> {
  const card = cardOf(state.path);
  const stateOfCard = await stateOf(card);
  if (stateOfCard === null) return { reason: `it has no card ${basename(card)} beside it, which says what it is for` };
  const read = await known.cards.get(stateOfCard, async () => {
    // Loaded where there is a card: what checks them is larger than all that converts, and most processes see none.
    const { parseCard } = await import('./vision-card.js');
    const parsed = parseCard((await readWithin(root, card, mostCardBytes)).toString('utf8'));
    return 'reason' in parsed ? parsed : { file: state.path, directory: dirname(state.path), card: parsed };
  });
  if ('reason' in read) return { reason: `${read.reason} (${basename(card)})` };
  const reason = await known.misfits.get({ ...state, identity: `${state.identity} ${stateOfCard.identity}` }, async () => known.readHeader(state.path).then(
    (header) => misfit(read.card, header),
    (thrown: unknown) => {
      // What the system did not let us read it may let us read the next time.
      if (!(thrown instanceof LecternError) || thrown.code !== 'invalid_model') throw thrown;
      return thrown.message;
    },
  ));
  return reason === null ? read : { reason };
}

function cardOf(path: string): string {
  return `${path.slice(0, -'.onnx'.length)}.json`;
}

/** `broken`: what lies beside it and is left out. */
async function add(found: Found, name: string, path: string, members: Member[], broken?: string): Promise<void> {
  try {
    if (!/^[A-Za-z0-9_.:-]{1,100}$/.test(name)) throw invalid('its name has other signs than letters, digits and ._:-');
    const twin = found.listed.get(name.toLowerCase());
    if (twin !== undefined) throw invalid(`${twin.path} has this name already`);
    const networks = joined(members, broken);
    for (const { path: file, network: { card, directory } } of members) {
      if (!('dictionary' in card) || card.dictionary === undefined || await stateOf(join(directory, card.dictionary)) !== null) continue;
      throw invalid(`the key "dictionary" of its card ${basename(cardOf(file))} names ${card.dictionary}, which is not there`);
    }
    const states = members.map(({ state }) => state);
    const languages = members.flatMap(({ network: { card } }) => (card.kind === 'text_recognition' ? card.languages ?? [] : []));
    found.listed.set(name.toLowerCase(), {
      name, kind: networks.kind, path, networks,
      digest: createHash('sha256').update(JSON.stringify([name, networks, states.map(({ identity }) => identity)])).digest('hex'),
      sizeBytes: states.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      workBytes: Math.max(...members.map(({ network }) => network.card.work_mib)) * 2 ** 20,
      modifiedAt: new Date(Math.max(...states.map(({ modifiedAt }) => modifiedAt.getTime()))),
      languages: languages.length === 0 ? null : languages,
    });
  } catch (thrown) {
    found.refused.push({ name, path, reason: (thrown as Error).message.replace(/\.$/, '') });
  }
}

/** Throws `invalid_model` for what makes no whole model. */
function joined(members: Member[], broken: string | undefined): VisionNetworks {
  const networks = members.map(({ network }) => network);
  const first = networks[0] as CardedNetwork;
  if (first.card.kind === 'layout') return { kind: 'layout', networks: { layout: layoutOf(first as CardedNetwork<'layout'>) } };
  if (first.card.kind === 'table') return { kind: 'table', networks: { table: tableOf(first as CardedNetwork<'table'>) } };
  const [detectors, readers, angles] = (['text_detection', 'text_recognition', 'text_angle'] as const).map((kind) => networks.filter(({ card }) => card.kind === kind)) as [CardedNetwork<'text_detection'>[], CardedNetwork<'text_recognition'>[], CardedNetwork<'text_angle'>[]];
  if (detectors.length !== 1 || readers.length !== 1 || angles.length > 1) {
    throw invalid(`a directory that reads text has one network of the kind text_detection, one text_recognition and at most one text_angle, and this one has ${detectors.length}, ${readers.length} and ${angles.length}${broken === undefined ? '' : `: ${broken}`}`);
  }
  const angle = angles[0];
  return { kind: 'text', networks: { detector: detectorOf(detectors[0] as CardedNetwork<'text_detection'>), reader: readerOf(readers[0] as CardedNetwork<'text_recognition'>), ...(angle === undefined ? {} : { angle: angleOf(angle) }) } };
}
