/** The pipeline: one file in, its document in every output asked for out. Runs in a worker process. */
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { TokenCounter } from '../chunk/chunk.js';
import { asDiskFull, DiskFull } from '../platform/disk-full.js';
import { LecternError } from '../errors.js';
import type { Box } from '../pdf/pdf-page.js';
import { DocumentBuilder } from '../document/builder.js';
import type { DoclingDocument } from '../document/model.js';
import { findFormat, formatNames } from '../formats/index.js';
import type { ReadDocument, ReadOptions } from '../formats/index.js';
import { confidenceOf } from './confidence.js';
import { conversionError, errorOf } from './failures.js';
import { detectFormat } from './input/input-format.js';
import type { InputFormat } from './input/input-format.js';
import type { PageStructure } from './pipeline/structure-page.js';
import { contentFile, writeDocumentChunks, writeEmptyContent, writeOutputs } from './output/outputs.js';
import { placeOnPage } from './ocr/turned.js';
import { openPages } from './input/pages.js';
import type { PageSource } from './input/pages.js';
import { ImageWriter } from './output/pictures.js';
import { readPages } from './pipeline/page-pipeline.js';
import type { ConvertOutcome, ConvertPorts, ConvertRequest } from './request.js';
import type { ConversionError, ConversionStatus } from './result.js';
import { assemble } from './structure/assemble.js';
import { structureDocument } from './structure/structure-document.js';
import { Timings } from './timings.js';

interface Input {
  sha256: string;
  format: InputFormat;
  /** Pages to make a document of, or a document as it is; null where the format is not converted here. */
  content: { pages: PageSource } | { read: ReadDocument } | null;
}

/** The file's bytes end with this call: the PDF engine has its own copy. Rejects as `openPages` and readers do, with the format in `onFormat`. */
async function openInput(request: ConvertRequest, ports: ConvertPorts, timings: Timings, onFormat: (format: InputFormat) => void): Promise<Input> {
  const bytes = await timings.measure('read_input', 'document', () => readFile(request.inputPath));
  const format = detectFormat(bytes, request.filename);
  onFormat(format);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (!format.supported) return { sha256, format, content: null };
  const known = findFormat(format.name);
  const reader = await known?.load();
  if (reader === null) {
    const refusal = await known?.refusal?.(bytes);
    if (refusal) throw refusal;
    return { sha256, format, content: null };
  }
  if (reader === undefined) {
    const pages = await timings.measure('open', 'document', () => openPages(format.name, bytes, request.options.password));
    return { sha256, format, content: { pages } };
  }
  const read = await timings.measure('parse', 'document', async () => reader(bytes, readOptions(request, ports, format, sha256)));
  return { sha256, format, content: { read } };
}

function readOptions({ options, filename }: ConvertRequest, ports: ConvertPorts, format: InputFormat, sha256: string): ReadOptions {
  return {
    filename: basename(filename), mimetype: format.mimetype, sha256, password: options.password, pageRange: options.pageRange, keepNotes: options.keepNotes,
    signal: ports.signal, alive: () => ports.progress({ stage: 'parse', pagesDone: 0, pagesTotal: 0, pageNumber: null }),
  };
}

/** Why the document as a whole is not converted, in the contract's words, or null. */
function refusal(pageCount: number, request: ConvertRequest): ConversionError | null {
  const { maxPages, pageRange } = request.options;
  if (pageCount > maxPages) {
    return conversionError('user_input', 'page_limit', 'policy', `Document has ${pageCount} pages, exceeding the max_num_pages limit of ${maxPages}.`);
  }
  if (pageRange[0] > pageCount) {
    return conversionError('user_input', 'page_range', 'policy', `Document has ${pageCount} pages, fewer than the requested page_range start ${pageRange[0]}.`);
  }
  return null;
}

/** What a reader of the document should know of its text: what was left out because nobody sees it, which pages were read from a scan's layer or from their picture, and in which pictures no text was found. */
function textLayerNotes(sketches: PageStructure[]): Record<string, unknown> | null {
  const hidden: Record<string, number> = {};
  for (const sketch of sketches) {
    for (const [why, characters] of Object.entries(sketch.hidden)) if (characters > 0) hidden[why] = (hidden[why] ?? 0) + (characters as number);
    if (sketch.invisibleCharacters > 0) hidden.invisible = (hidden.invisible ?? 0) - sketch.invisibleCharacters;
  }
  const leftOut = Object.fromEntries(Object.entries(hidden).filter(([, characters]) => characters > 0));
  const recognised = sketches.filter((sketch) => sketch.recognised !== undefined);
  const scanned = sketches.filter((sketch) => sketch.invisibleCharacters > 0).map((sketch) => sketch.pageIndex + 1);
  const empty = sketches.filter((sketch) => sketch.nothingRecognised).map((sketch) => sketch.pageIndex + 1);
  if (Object.keys(leftOut).length === 0 && scanned.length === 0 && recognised.length === 0 && empty.length === 0) return null;
  return {
    ...(Object.keys(leftOut).length > 0 && { lectern__hidden_characters: leftOut }),
    ...(scanned.length > 0 && { lectern__invisible_text_layer_pages: scanned }),
    ...(recognised.length > 0 && {
      lectern__text_recogniser: recognised[0]!.recognised!.by, lectern__recognised_pages: recognised.map((sketch) => sketch.pageIndex + 1),
    }),
    ...(empty.length > 0 && { lectern__pages_without_recognised_text: empty }),
  };
}

/** Behind the contract's sentence, which names the file alone. */
function allowed(): string {
  return `Allowed are ${['pdf', 'image', ...formatNames()].join(', ')}; what a plain text is the ending of its name tells, such as .md, .txt or .tex.`;
}

/** Everything that is known of one conversion while it runs. */
class Conversion {
  readonly timings = new Timings();
  /** What is missing, or went wrong. */
  readonly errors: ConversionError[] = [];
  /** What is said beside a document that is whole. */
  #remarks: ConversionError[] = [];
  readonly #request: ConvertRequest;
  readonly #ports: ConvertPorts;
  readonly #begin = performance.now();

  constructor(request: ConvertRequest, ports: ConvertPorts) {
    this.#request = request;
    this.#ports = ports;
  }

  async run(): Promise<ConvertOutcome> {
    let format: InputFormat | null = null;
    let input: Input;
    try {
      input = await openInput(this.#request, this.#ports, this.timings, (found) => { format = found; });
    } catch (thrown) {
      const found = format as InputFormat | null;
      // A file that is not there, or that finds no room, is no fault of the document.
      if (found === null || this.#ports.signal.aborted || asDiskFull(thrown) instanceof DiskFull) throw thrown;
      this.errors.push(errorOf(thrown, found.name));
      return this.#empty('failure', found.name);
    }
    const { content } = input;
    if (content === null) {
      const needs = findFormat(input.format.name)?.needs;
      const why = needs === undefined ? allowed() : `Converting it needs ${needs}, which is not installed on this machine.`;
      this.errors.push(conversionError('user_input', 'input_format', 'policy', `File format not allowed: ${this.#request.filename}. ${why}`));
      return this.#empty('skipped', input.format.name);
    }
    if ('read' in content) return this.#deliverRead(input, content.read);
    try {
      return await this.#convert(input, content.pages);
    } finally {
      content.pages.close();
    }
  }

  /** A document that its reader has made: pictures and outputs are left to do. */
  async #deliverRead(input: Input, { document, pictures, losses, pageCount }: ReadDocument): Promise<ConvertOutcome> {
    const { options } = this.#request;
    const refused = pageCount === null ? null : refusal(pageCount, this.#request);
    if (refused !== null) {
      this.errors.push(refused);
      return this.#empty('failure', input.format.name);
    }
    for (const sentence of losses) this.errors.push(conversionError('document_backend', input.format.name, 'capacity', sentence));
    await this.#announce('write', document.pages.size);
    const images = new ImageWriter(this.#request.outputDirectory, options.imagesScale);
    await this.timings.measure('draw_pictures', 'document', async () => {
      if (options.imageExportMode !== 'placeholder' && options.includeImages) await images.storePictures(pictures, this.#ports.signal);
    });
    return this.#deliver(input, document, images, { confidence: null, pageCount: document.pages.size, recognisedPages: 0 });
  }

  async #convert(input: Input, pages: PageSource): Promise<ConvertOutcome> {
    const refused = refusal(pages.pageCount, this.#request);
    if (refused !== null) {
      this.errors.push(refused);
      return this.#empty('failure', input.format.name);
    }
    const { sketches, complete, remarks } = await readPages(pages, this.#request, this.#ports, this.timings, this.errors);
    this.#remarks = remarks;
    if (sketches.length === 0 || !complete && this.#request.options.abortOnError) return this.#empty('failure', input.format.name);
    return this.#write(input, pages, sketches);
  }

  async #write(input: Input, pages: PageSource, sketches: PageStructure[]): Promise<ConvertOutcome> {
    const { options, filename, outputDirectory } = this.#request;
    await this.#announce('structure', sketches.length);
    const structure = this.timings.measure('structure', 'document', () => structureDocument(sketches, pages.outline(), !options.doPdfHeadingHierarchy));
    const builder = new DocumentBuilder({
      name: basename(filename, extname(filename)), origin: { mimetype: input.format.mimetype, filename: basename(filename), sha256: input.sha256 },
    });
    // What is drawn of a page whose picture was read is where the file has it already.
    const drawn = new Map<number, (box: Box) => Box>();
    for (const sketch of sketches) {
      const turned = sketch.turn === undefined ? undefined : { turn: sketch.turn, lean: 0 };
      const { size, toPage } = placeOnPage(sketch, turned ?? sketch.recognised ?? { turn: 0, lean: 0 });
      builder.addPage(sketch.pageIndex + 1, size, null, toPage);
      if (turned !== undefined && toPage !== null) drawn.set(sketch.pageIndex, toPage);
    }
    const pictures = this.timings.measure('assemble', 'document', () => assemble(builder, structure, options.doFormulaEnrichment, (pageIndex, box) => drawn.get(pageIndex)?.(box) ?? box));
    builder.document.body.meta = textLayerNotes(sketches);
    await this.#announce('write', sketches.length);
    const images = new ImageWriter(outputDirectory, options.imagesScale);
    await this.timings.measure('draw_pictures', 'document', async () => {
      if (options.imageExportMode === 'placeholder') return;
      if (options.includeImages) await images.drawPictures(pages, pictures);
      if (options.includePageImages) await images.drawPages(pages, builder.document);
    });
    const recognisedPages = sketches.filter(({ recognised }) => recognised !== undefined).length;
    return this.#deliver(input, builder.document, images, { confidence: confidenceOf(sketches, structure.blocks), pageCount: sketches.length, recognisedPages });
  }

  /** The outputs as files, and what is said of them. */
  async #deliver(input: Input, document: DoclingDocument, images: ImageWriter, about: Pick<ConvertOutcome, 'confidence' | 'pageCount' | 'recognisedPages'>): Promise<ConvertOutcome> {
    const { options, filename, outputDirectory } = this.#request;
    const files = await this.timings.measure('write', 'document', () => writeOutputs(document, outputDirectory, basename(filename), options));
    const { chunking } = options;
    const chunksFile = chunking === null ? undefined
      : await this.timings.measure('chunk', 'document', () => writeDocumentChunks(document, outputDirectory, basename(filename), chunking, this.#counter()));
    const referenced = options.imageExportMode === 'referenced';
    if (!referenced) await rm(join(outputDirectory, 'artifacts'), { recursive: true, force: true });
    return {
      ...this.#outcome(this.errors.length === 0 ? 'success' : 'partial_success', input.format.name),
      ...about, files, chunksFile, artifacts: referenced ? images.files : [],
    };
  }

  /** By the vocabulary of the request, with a sign of life for each count. */
  #counter(): TokenCounter | null {
    const { vocabulary } = this.#request;
    const { counting, signal } = this.#ports;
    if (!vocabulary || counting === undefined) return null;
    return {
      name: vocabulary.name,
      count: (texts) => {
        this.#ports.progress({ stage: 'chunk', pagesDone: 0, pagesTotal: 0, pageNumber: null });
        return counting.countTokens(vocabulary.path, texts, { signal });
      },
    };
  }

  /** Lets messages in: a cancel is heard before the next step begins. */
  async #announce(stage: string, pagesDone: number): Promise<void> {
    this.#ports.progress({ stage, pagesDone, pagesTotal: pagesDone, pageNumber: null });
    await setImmediate();
    if (this.#ports.signal.aborted) throw new LecternError('cancelled');
  }

  async #empty(status: ConversionStatus, format: string): Promise<ConvertOutcome> {
    await writeEmptyContent(this.#request.outputDirectory, basename(this.#request.filename));
    return this.#outcome(status, format);
  }

  #outcome(status: ConversionStatus, format: string): ConvertOutcome {
    return {
      status, errors: [...this.errors, ...this.#remarks], confidence: null, timings: this.timings.stages,
      processingTimeS: (performance.now() - this.#begin) / 1000, pageCount: 0, recognisedPages: 0, format, files: {}, artifacts: [], contentFile,
    };
  }
}

/**
 * Converts one file. What is wrong with the document is told in the outcome; rejects with LecternError `cancelled` when the
 * signal aborts, and with what is no fault of the document: an input that is not there, a directory that cannot be written.
 */
export function convertDocument(request: ConvertRequest, ports: ConvertPorts): Promise<ConvertOutcome> {
  return new Conversion(request, ports).run();
}
