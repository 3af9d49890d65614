/** Writes a finished document to the output directory: the requested outputs, chunks and pictures. */
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { TokenCounter } from '../../chunk/chunk.js';
import type { DoclingDocument } from '../../document/model.js';
import type { ConvertOutcome, ConvertPorts, ConvertRequest } from '../request.js';
import type { Timings } from '../timings.js';
import { writeDocumentChunks, writeOutputs } from './outputs.js';
import type { ImageWriter } from './pictures.js';

/** The written files; pictures are kept only if outputs refer to them. */
export async function deliver(
  document: DoclingDocument, images: ImageWriter, request: ConvertRequest, ports: ConvertPorts, timings: Timings,
): Promise<Pick<ConvertOutcome, 'files' | 'chunksFile' | 'artifacts'>> {
  const { options, filename, outputDirectory } = request;
  const files = await timings.measure('write', 'document', () => writeOutputs(document, outputDirectory, basename(filename), options));
  const { chunking } = options;
  const chunksFile = chunking === null ? undefined
    : await timings.measure('chunk', 'document', () => writeDocumentChunks(document, outputDirectory, basename(filename), chunking, tokenCounter(request, ports)));
  const referenced = options.imageExportMode === 'referenced';
  if (!referenced) await rm(join(outputDirectory, 'artifacts'), { recursive: true, force: true });
  return { files, chunksFile, artifacts: referenced ? images.files : [] };
}

/** Counts with the vocabulary of the request. Each count reports progress, which shows the supervisor that the worker is alive. */
function tokenCounter({ vocabulary }: ConvertRequest, ports: ConvertPorts): TokenCounter | null {
  const { counting, signal } = ports;
  if (!vocabulary || counting === undefined) return null;
  return {
    name: vocabulary.name,
    count: (texts) => {
      ports.progress({ stage: 'chunk', pagesDone: 0, pagesTotal: 0, pageNumber: null });
      return counting.countTokens(vocabulary.path, texts, { signal });
    },
  };
}
