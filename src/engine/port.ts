/** What the rest of the program may ask of the native engine. The addon and the fake of the tests both implement it. */
import type { Bitmap } from '../bitmap.js';

export interface CallOptions {
  signal?: AbortSignal;
}

/** Debug switches of the CUDA kernels, for measurements and as a way out where a kernel fails on a device. */
export interface KernelOptions {
  /** The GEMV kernel of decode rows; without it a trial on the device chooses. */
  decode?: 'registers' | 'rings' | 'tiles';
  /** Whether a kernel is launched before the one in front of it has ended; true by default. */
  earlyLaunches?: boolean;
  /** Whether the wgmma kernels of compute capability 9.0 are tried; true by default. */
  warpgroups?: boolean;
}

export interface DeviceInfo {
  kind: 'cpu' | 'cuda';
  name: string;
  memoryTotalBytes: number;
  memoryFreeBytes: number;
}

/** Measurements of bitmaps that need no network. */
export interface VisionEngine {
  /** Degrees, counter-clockwise positive, by which the text lines of a page lean; 0 where the page has none. */
  deskewAngle(bitmap: Bitmap, options?: CallOptions): Promise<number>;
}

export interface ReadWord {
  text: string;
  /** Pixels of the bitmap; y grows downwards. */
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** 0..1 */
  confidence: number;
}

export interface ReadLine {
  /** Two points of the line that the letters stand on: x, y, x, y. */
  baseline: [number, number, number, number];
  /** In reading order; at least one. */
  words: ReadWord[];
}

/** A straight line on the page, in pixels: its middle across, its ends along. */
export interface ReadRuling {
  horizontal: boolean;
  position: number;
  start: number;
  end: number;
  thickness: number;
}

/** A small square frame on the page, in pixels, and whether something was marked in it. */
export interface ReadTickBox {
  left: number;
  top: number;
  right: number;
  bottom: number;
  ticked: boolean;
}

/** A filled rectangle on the page, in pixels: the ground of a cell, a stripe, a panel. */
export interface ReadFill {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** 0 black to 255 white. */
  grey: number;
}

export interface ReadPage {
  lines: ReadLine[];
  rulings: ReadRuling[];
  /** Where there are any, of readers that know them. */
  tickBoxes?: ReadTickBox[];
  fills?: ReadFill[];
  /** Its lines stand on their head or run down the page: none was read, as was asked for. */
  turned?: true;
}

export interface ReadTextOptions extends CallOptions {
  /** With LANGUAGE.traineddata. */
  dataDirectory: string;
  /** As Tesseract writes them: `eng+deu`. */
  languages: string;
  /** Of the bitmap, 70 to 2400. */
  dpi: number;
}

/** The system's Tesseract, a stranger's code over a stranger's pixels: only for processes that may die. */
export interface TextReader {
  /** Rejects with `not_found` where none is installed. */
  tesseractVersion(): Promise<string>;
  /** Text and ruled lines of an upright page. Rejects with `not_found` where Tesseract or a language's data is missing. */
  readText(bitmap: Bitmap, options: ReadTextOptions): Promise<ReadPage>;
}

export interface RecogniseTextOptions extends CallOptions {
  /** Path of the ONNX file of a recogniser of lines, with its alphabet in its metadata. */
  network: string;
  /** Of the bitmap, 70 to 2400. */
  dpi: number;
  /** The bitmap is one line of text from edge to edge. */
  oneLine?: boolean;
  /** Path of the ONNX file of a network that tells which way up lines stand: a page whose longest lines do not stand upright is given up (`turned`). */
  orientation?: string;
  /** That runs of the recogniser may hold beside its weights; a line that wants more is refused with `too_large`. Absent: enough for any. */
  workBytes?: number;
  /** Path of the ONNX file of a line detector, which is used where a sample of the lines that geometry finds is recognised with low confidence. */
  detector?: string;
}

export interface LineVotesOptions extends CallOptions {
  /** Path of the ONNX file of a network that tells which way up lines stand. */
  network: string;
  /** Of the bitmap, 70 to 2400. */
  dpi: number;
}

/** What the longest lines of a bitmap vote for, each with its length, some two votes a letter. */
export interface LineVotes {
  upright: number;
  /** On its head. */
  turned: number;
  /** No line along the bitmap's rows: text that runs across them, figures. */
  neither: number;
  /** That were asked. */
  lines: number;
}

/** Our own networks that read text, and tell which way up it stands. */
export interface NetworkReader {
  /** Text and ruled lines of an upright page. Rejects with `model_not_found`, `invalid_model` for a file that is no recogniser of lines, `cancelled`. */
  recogniseText(bitmap: Bitmap, options: RecogniseTextOptions): Promise<ReadPage>;
  /** Of a bitmap whose lines lean by at most a degree. Rejects with `model_not_found`, `invalid_model` for a file that tells no orientations, `cancelled`. */
  lineVotes(bitmap: Bitmap, options: LineVotesOptions): Promise<LineVotes>;
}

/** Text in which the texts of control tokens (`<|im_end|>`) become these tokens only where `special` says so. */
export interface PromptPart {
  text: string;
  /** Never for what a user wrote. */
  special: boolean;
}

/** The same parts in three blocks of memory. */
export interface PackedPrompt {
  utf8: Uint8Array;
  /** By part: the byte behind its last one. Ascending; the last is the length of `utf8`. */
  ends: Uint32Array;
  /** By part: 1 where it is special. */
  special: Uint8Array;
}

/** A string is one part that is not special. */
export type Prompt = string | readonly number[] | readonly PromptPart[] | PackedPrompt;

/** Lets a generation stand still between two tokens, while it keeps its KV cache positions and the state of its sampler: the same tokens come as without. */
export interface Pacing {
  /** Called with the number of tokens of each burst. */
  wrote(tokens: number): void;
  readonly paused: boolean;
  /** Called at each change of `paused`, until the returned function is called. A few tokens may still come after a pause. */
  onChange(listener: () => void): () => void;
}

export interface GenerateOptions extends CallOptions {
  pacing?: Pacing;
  /** Begin token as the vocabulary asks; for text prompts. Default true. */
  addSpecial?: boolean;
  /** Default: to the end of the slot's context. */
  maxTokens?: number;
  /** 0: the most probable token. Default 1, as of all that follow: the model's own distribution. */
  temperature?: number;
  topK?: number;
  topP?: number;
  minP?: number;
  typicalP?: number;
  repeatPenalty?: number;
  /** Window of the three penalties, prompt included. Default 64; 0 none, -1 everything. */
  repeatLastN?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  /** A bias for a token id, or for each token of a text. */
  logitBias?: readonly (readonly [token: number | string, bias: number])[];
  /** Tokens whose logits lie at most so many standard deviations below the best. Default and up to 0: all. */
  topNSigma?: number;
  /** XTC: how often all tokens whose probability reaches the threshold (default 0.1) go, but for the least probable of them. Default 0. */
  xtcProbability?: number;
  xtcThreshold?: number;
  /** The temperature lies up to so much below and above `temperature`, by the entropy. Default 0, exponent 1. */
  dynatempRange?: number;
  dynatempExponent?: number;
  /** 2: Mirostat's second version in the place of all truncations and penalties. Default 0. */
  mirostat?: number;
  /** Bits; default 5. */
  mirostatTau?: number;
  /** Default 0.1. */
  mirostatEta?: number;
  /** DRY: off where it is 0, the default. The other defaults: 1.75, 2, 64 (-1: everything), line end, colon, quotation mark, asterisk. */
  dryMultiplier?: number;
  dryBase?: number;
  dryAllowedLength?: number;
  dryPenaltyLastN?: number;
  drySequenceBreakers?: readonly string[];
  /** Integer from 0 to 2^53 - 1. Default: drawn at random. */
  seed?: number;
  stop?: readonly string[];
  ignoreEnd?: boolean;
  /** How many of the best tokens to tell beside the chosen one, 0 to 20. Absent: no logprobs. */
  logprobs?: number;
  /** GBNF. */
  grammar?: string;
  /** The grammar holds once one of these was written; absent: from the start. */
  grammarTriggers?: readonly string[];
  /** An answer that would end before a trigger was written goes on with the first of them, and then with the grammar. */
  grammarRequired?: boolean;
  /** Which kept positions an equal prefix may take over. Default `computed`: the same bytes as without. */
  reuse?: 'computed' | 'generated' | 'none';
  /** Tokens drafted from the text itself that a pass may verify beyond the next one, at most 7. Default: as many as pay; 0: none. No output depends on it. */
  draftMax?: number;
  /** So many are verified where the text offers them, whatever a pass costs. Default 0. */
  draftMin?: number;
  /** Finished text, coalesced: at most one call is pending, so a slow reader gets longer bursts and never blocks the model. */
  onTokens?: (burst: TokenChunk) => void;
}

export interface TokenLogprob {
  id: number;
  /** Of the unmodified logits. */
  logprob: number;
  /** Best first. */
  top: { id: number; logprob: number }[];
}

export interface TokenChunk {
  /** Whole code points. */
  text: string;
  /** All that were written, with those of a stop string, which is no text. */
  ids: number[];
  /** Where asked: of the tokens behind the text, none that lie in a stop string. They come with their text, after their ids. */
  logprobs?: TokenLogprob[];
}

export interface GenerateResult {
  finishReason: 'stop' | 'length';
  /** The stop string that ended it; null for an end token. */
  stopString: string | null;
  promptTokens: number;
  /** Of the prompt, taken over from an earlier one. */
  cachedTokens: number;
  completionTokens: number;
  /** That passes verified ahead, and how many of them were right. */
  draftTokens: number;
  acceptedTokens: number;
  queueMs: number;
  prefillMs: number;
  decodeMs: number;
}

export interface EmbedOptions extends CallOptions {
  /** Divided by its Euclidean length; false: as the model gives it. Default true. */
  normalise?: boolean;
}

export interface Embedding {
  vector: Float32Array;
  promptTokens: number;
}

export interface RankOptions extends CallOptions {
  /** The document loses tokens at its end until the pair has at most so many. Absent: a pair that is longer than the context is an error. */
  mostTokens?: number;
}

export interface Relevance {
  /** The logit of relevance, as the model gives it; its logistic function is the probability. */
  score: number;
  promptTokens: number;
}

export type MetadataValue = string | number | bigint | boolean | null | MetadataValue[];

/** What a model file says of itself, weights unread. */
export interface ModelDescription {
  architecture: string;
  /** Why it cannot run here, or null. */
  unsupported: string | null;
  /** Whole texts are put in, and nothing is generated: an embedding or rerank model. */
  embeds: boolean;
  /** It gives no vectors but scores of pairs. */
  ranks: boolean;
  parameterCount: number;
  weightBytes: number;
  /** Tokens it was trained for. */
  context: number;
  embeddingLength: number;
  vocabularySize: number;
  /** Keys of the file; arrays are null unless asked for. */
  metadata: Record<string, MetadataValue>;
  tensors: { name: string; type: string; shape: number[] }[];
}

export interface MemoryNeed {
  weightBytes: number;
  /** Of all slots. */
  kvBytes: number;
  /** Buffers of the largest pass. */
  workBytes: number;
}

export interface ModelShape {
  device?: 'cpu' | 'cuda';
  /** Sequences that are kept in the KV cache side by side, paused ones among them. Default 2. */
  slots?: number;
  /** Tokens per slot; default: what the model was trained for. */
  context?: number;
  /** How keys and values are kept; default f16. A device that lacks a kind refuses it; an encoder, which keeps none, has f16 for q8_0. */
  kv?: 'f16' | 'f32' | 'q8_0';
  /** Tokens of a draft that a pass may verify for each slot, 0 to 7; default 7. */
  draft?: number;
}

export interface OpenModelOptions extends CallOptions, ModelShape {
  /** On the CPU; default one per processor. */
  threads?: number;
  /** 0..1 of the weights, at most some dozen calls. */
  onProgress?: (fraction: number) => void;
}

export interface LoadedModel {
  /** As in ModelDescription. */
  embeds: boolean;
  ranks: boolean;
  slots: number;
  context: number;
  vocabularySize: number;
  embeddingLength: number;
  need: MemoryNeed;
  /** Ids that end an answer. */
  endTokens: number[];
}

/** A model in memory, with a thread of its own. */
export interface LanguageModel {
  readonly info: LoadedModel;
  /** Rejects with `context_overflow` (both counts in its sentence) for a prompt that does not fit, `cancelled`, `invalid_request`. */
  generate(prompt: Prompt, options?: GenerateOptions): Promise<GenerateResult>;
  embed(input: Prompt, options?: EmbedOptions): Promise<Embedding>;
  /** How far the document fits the query. Pairs that wait together are scored in one pass. Rejects as generate() does. */
  rank(query: string, document: string, options?: RankOptions): Promise<Relevance>;
  tokenize(prompt: Prompt, options?: CallOptions & { addSpecial?: boolean }): Promise<number[]>;
  /** As many as tokenize() gives, without giving them. */
  countTokens(prompt: Prompt, options?: CallOptions & { addSpecial?: boolean }): Promise<number>;
  /** The bytes of one token, control tokens by their text; they need not be UTF-8 alone. */
  tokenBytes(id: number): Uint8Array;
  /** Cancels what runs; memory is back when the promise settles. Calling it again waits for the same end. */
  close(): Promise<void>;
}

/** Counts by a model's vocabulary, opened alone: no weights are read. */
export interface TokenCounting {
  /**
   * The number of tokens of each text, without begin and end tokens. `path` names the model's (first) file, whose vocabulary stays open until
   * another is named. Rejects with `model_not_found`, `invalid_model`, `cancelled`.
   */
  countTokens(path: string, texts: readonly string[], options?: CallOptions): Promise<Uint32Array>;
}

/** Verbs on model files. */
export interface LanguageEngine {
  /** Rejects with `invalid_model` for a damaged file; one that is whole and cannot run is described with its reason. */
  describeModel(path: string, options?: CallOptions & { arrays?: boolean }): Promise<ModelDescription>;
  memoryNeed(path: string, shape: ModelShape): Promise<MemoryNeed>;
  openModel(path: string, options?: OpenModelOptions): Promise<LanguageModel>;
}
