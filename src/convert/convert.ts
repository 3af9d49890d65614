/** Converts one file to a document in every requested output. Runs in a worker process. */
import { basename, extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { LecternError } from '../errors.js';
import { asDiskFull, DiskFull } from '../platform/disk-full.js';
import { confidenceOf } from './confidence.js';
import { conversionError, errorOf } from './failures.js';
import { openInput, whyNotConverted, type Input, type PagesInput, type ReadDocumentInput } from './input/open-input.js';
import { deliver } from './output/deliver.js';
import { contentFile, writeEmptyContent } from './output/outputs.js';
import { ImageWriter } from './output/pictures.js';
import type { PageStructure } from './page/values.js';
import { structurePages } from './pipeline/page-pipeline.js';
import type { ConvertOutcome, ConvertPorts, ConvertRequest } from './request.js';
import type { ConversionError, ConversionStatus } from './result.js';
import { buildDocument } from './structure/build-document.js';
import { Timings } from './timings.js';

/** The reason why the whole document is not converted, in the contract's words, or null. */
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

/** The state of one running conversion. */
class Conversion {
  readonly timings = new Timings();
  /** Missing parts and errors. */
  readonly errors: ConversionError[] = [];
  /** Remarks on a complete document. */
  #remarks: ConversionError[] = [];
  readonly #request: ConvertRequest;
  readonly #ports: ConvertPorts;
  readonly #begin = performance.now();

  constructor(request: ConvertRequest, ports: ConvertPorts) {
    this.#request = request;
    this.#ports = ports;
  }

  async run(): Promise<ConvertOutcome> {
    let format: Input['format'] | null = null;
    let input: Input;
    try {
      input = await openInput(this.#request, this.#ports, this.timings, (found) => { format = found; });
    } catch (thrown) {
      const found = format as Input['format'] | null;
      // A missing file or a full disk is not an error of the document.
      if (found === null || this.#ports.signal.aborted || asDiskFull(thrown) instanceof DiskFull) throw thrown;
      this.errors.push(errorOf(thrown, found.name));
      return this.#empty('failure', found.name);
    }
    const { content } = input;
    if (content === null) {
      this.errors.push(conversionError('user_input', 'input_format', 'policy', `File format not allowed: ${this.#request.filename}. ${whyNotConverted(input.format.name)}`));
      return this.#empty('skipped', input.format.name);
    }
    if ('read' in content) return this.#deliverRead(input, content.read);
    try {
      return await this.#convert(input, content.pages);
    } finally {
      content.pages.close();
    }
  }

  /** A document from a format reader: pictures and outputs remain to be written. */
  async #deliverRead(input: Input, { document, pictures, losses, remarks = [], pageCount }: ReadDocumentInput['read']): Promise<ConvertOutcome> {
    const { options } = this.#request;
    const refused = pageCount === null ? null : refusal(pageCount, this.#request);
    if (refused !== null) {
      this.errors.push(refused);
      return this.#empty('failure', input.format.name);
    }
    for (const sentence of losses) this.errors.push(conversionError('document_backend', input.format.name, 'capacity', sentence));
    this.#remarks = remarks.map((sentence) => conversionError('document_backend', input.format.name, 'unknown', sentence));
    await this.#announce('write', document.pages.size);
    const images = new ImageWriter(this.#request.outputDirectory, options.imagesScale);
    await this.timings.measure('draw_pictures', 'document', async () => {
      if (options.imageExportMode === 'placeholder' || !options.includeImages) return;
      await images.storePictures(pictures.filter(({ embedded }) => embedded !== true || options.imageExportMode === 'referenced'), this.#ports.signal);
    });
    return this.#deliver(input, document, images, { confidence: null, pageCount: document.pages.size, recognisedPages: 0 });
  }

  async #convert(input: Input, source: PagesInput['pages']): Promise<ConvertOutcome> {
    const refused = refusal(source.pageCount, this.#request);
    if (refused !== null) {
      this.errors.push(refused);
      return this.#empty('failure', input.format.name);
    }
    const { pages, complete, remarks } = await structurePages(source, this.#request, this.#ports, this.timings, this.errors);
    this.#remarks = remarks;
    if (pages.length === 0 || !complete && this.#request.options.abortOnError) return this.#empty('failure', input.format.name);
    return this.#write(input, source, pages);
  }

  async #write(input: Input, source: PagesInput['pages'], pages: PageStructure[]): Promise<ConvertOutcome> {
    const { options, filename, outputDirectory } = this.#request;
    await this.#announce('structure', pages.length);
    const { document, blocks, pictures } = buildDocument(pages, {
      name: basename(filename, extname(filename)), origin: { mimetype: input.format.mimetype, filename: basename(filename), sha256: input.sha256 },
      outline: source.outline(), flat: !options.doPdfHeadingHierarchy, latex: options.doFormulaEnrichment,
    }, this.timings);
    await this.#announce('write', pages.length);
    const images = new ImageWriter(outputDirectory, options.imagesScale);
    await this.timings.measure('draw_pictures', 'document', async () => {
      if (options.imageExportMode === 'placeholder') return;
      if (options.includeImages) await images.drawPictures(source, pictures);
      if (options.includePageImages) await images.drawPages(source, document);
    });
    const recognisedPages = pages.filter(({ recognised }) => recognised !== undefined).length;
    return this.#deliver(input, document, images, { confidence: confidenceOf(pages, blocks), pageCount: pages.length, recognisedPages });
  }

  /** The outputs as files, and the outcome. */
  async #deliver(input: Input, document: ReadDocumentInput['read']['document'], images: ImageWriter, about: Pick<ConvertOutcome, 'confidence' | 'pageCount' | 'recognisedPages'>): Promise<ConvertOutcome> {
    const delivered = await deliver(document, images, this.#request, this.#ports, this.timings);
    return { ...this.#outcome(this.errors.length === 0 ? 'success' : 'partial_success', input.format.name), ...about, ...delivered };
  }

  /** Lets messages arrive: a cancellation takes effect before the next step begins. */
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
 * Converts one file. The outcome reports errors of the document. Rejects with LecternError `cancelled` if the
 * signal aborts, and for errors that are not the document's: a missing input, a directory that cannot be written.
 */
export function convertDocument(request: ConvertRequest, ports: ConvertPorts): Promise<ConvertOutcome> {
  return new Conversion(request, ports).run();
}
