/** The card beside a network's file: a small JSON text that says what the network is for and how pictures come in and answers go out. models/README.md has every key. */
import { z } from 'zod';

const side = z.int().min(8).max(4096);
const share = z.number().min(0).max(1);
const triple = z.tuple([z.number(), z.number(), z.number()]);
const scale = z.tuple([z.number().positive(), z.number().positive(), z.number().positive()]);
/** A file beside the card. */
const fileName = z.string().regex(/^[^/\\\0]{1,255}$/, 'must be the name of a file beside the card').refine((name) => name !== '.' && name !== '..', 'must be the name of a file');

type Triple = [number, number, number];
const imageNetMean: Triple = [0.485, 0.456, 0.406];
const imageNetStd: Triple = [0.229, 0.224, 0.225];
const half: Triple = [0.5, 0.5, 0.5];

/** MiB: the picture in which PP-OCR detects lines has up to 1920 pixels a side. */
const workOfText = 768;

/** Keys that every network has; the defaults are those of the makers whose networks a kind is named after. */
function picture(defaults: { fit: 'stretch' | 'centre' | 'corner'; channels: 'rgb' | 'bgr'; mean: Triple; std: Triple; workMib: number }) {
  return {
    about: z.string().max(10_000).optional(),
    precision: z.enum(['f16x3', 'f16', 'f32']).default('f16x3'),
    work_mib: z.int().min(16).max(65_536).default(defaults.workMib),
    fit: z.enum(['stretch', 'centre', 'corner']).default(defaults.fit),
    channels: z.enum(['rgb', 'bgr']).default(defaults.channels),
    mean: triple.default(defaults.mean),
    std: scale.default(defaults.std),
    pad: share.optional(),
  };
}

const cards = {
  text_detection: z.strictObject({
    kind: z.literal('text_detection'),
    ...picture({ fit: 'stretch', channels: 'bgr', mean: imageNetMean, std: imageNetStd, workMib: workOfText }),
    shortest_side: z.int().min(1).max(4096).default(736),
    longest_side: z.int().min(32).max(4096).default(1920),
    threshold: share.default(0.3),
    box_threshold: share.default(0.6),
    unclip: z.number().min(0).max(10).default(1.5),
    most_boxes: z.int().min(1).max(100_000).default(1000),
  }),
  text_recognition: z.strictObject({
    kind: z.literal('text_recognition'),
    ...picture({ fit: 'stretch', channels: 'bgr', mean: half, std: half, workMib: workOfText }),
    dictionary: fileName.optional(),
    space: z.boolean().default(true),
    answer: z.enum(['probabilities', 'logits']).default('probabilities'),
    height: z.int().min(8).max(512).default(48),
    least_width: side.default(320),
    most_width: z.int().min(8).max(16384).default(3200),
    languages: z.array(z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{1,30}$/, 'must be the code of a language')).min(1).optional(),
  }).refine((card) => card.most_width >= card.least_width, { path: ['most_width'], message: 'must be no less than least_width' }),
  text_angle: z.strictObject({
    kind: z.literal('text_angle'),
    ...picture({ fit: 'corner', channels: 'bgr', mean: half, std: half, workMib: workOfText }),
    width: side.default(192),
    height: side.default(48),
    threshold: share.default(0.9),
  }),
  layout: z.strictObject({
    kind: z.literal('layout'),
    ...picture({ fit: 'stretch', channels: 'rgb', mean: [0, 0, 0], std: [1, 1, 1], workMib: 384 }),
    answer: z.enum(['queries', 'finished_boxes', 'places', 'finished_rows', 'selected']).default('queries'),
    width: side.default(640),
    height: side.default(640),
    labels: z.array(z.string().min(1).max(100)).min(1).max(10_000),
    threshold: share.default(0.3),
    overlap: share.default(0.7),
    most_regions: z.int().min(1).max(10_000).default(300),
  }),
  table: z.strictObject({
    kind: z.literal('table'),
    ...picture({ fit: 'corner', channels: 'bgr', mean: imageNetMean, std: imageNetStd, workMib: 256 }),
    answer: z.enum(['words', 'separators']).default('words'),
    dictionary: fileName.optional(),
    merged_cells: z.boolean().default(true),
    boxes: z.enum(['table', 'picture']).default('table'),
    width: side.default(488),
    height: side.default(488),
  }).refine(({ answer, dictionary }) => answer === 'separators' || dictionary !== undefined, { path: ['dictionary'], message: 'must be named where the answer is words' }),
};

export type CardKind = keyof typeof cards;
export type Card<Kind extends CardKind = CardKind> = { [Each in CardKind]: z.infer<(typeof cards)[Each]> }[Kind];

const kinds = Object.keys(cards) as CardKind[];

/** One sentence without a full stop: the first thing that is wrong, by the name of its key. */
function reasonOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `its card has the key ${JSON.stringify(issue.keys[0])}, which this kind does not know`;
  return `the key ${JSON.stringify(issue.path.join('.'))} of its card ${issue.message.startsWith('must') ? issue.message : `is wrong: ${issue.message}`}`;
}

/** A card with all its defaults, or the reason why it is none: one sentence without a full stop. */
export function parseCard(text: string): Card | { reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return { reason: `its card is no JSON: ${(thrown as Error).message}` };
  }
  const kind = typeof value === 'object' && value !== null ? (value as { kind?: unknown }).kind : undefined;
  const known = kinds.find((one) => one === kind);
  if (known === undefined) return { reason: `the key "kind" of its card must be one of ${kinds.join(', ')}` };
  const parsed = cards[known].safeParse(value);
  return parsed.success ? parsed.data : { reason: reasonOf(parsed.error.issues[0] as z.core.$ZodIssue) };
}
