/**
 * Writes the models that the clients use into a directory: node --import tsx test/clients/models.ts DIR
 *
 * `chat` writes random text, takes tools, and ends at a limit alone. Its size makes some 400 tokens a second on two cores, so that a text comes in several pieces and clients have time to cancel.
 * `ending` ends "the world" by itself after 32 tokens at temperature 0 (the ninth seed is the second of those that end between 10 and 60). `embedder` makes vectors of 64 values, `ranker` scores pairs.
 */
import { join } from 'node:path';
import { type MadeShape, toolTemplate, writeMadeEmbedder, writeMadeModel } from '../support/made-model.js';

const [directory = '.'] = process.argv.slice(2);
const shape: MadeShape = { context: 16_384, embedding: 192, heads: 6, kvHeads: 2, feedForward: 768, layers: 6, template: toolTemplate };
writeMadeModel(join(directory, 'chat.gguf'), { ...shape, neverEnds: true });
writeMadeModel(join(directory, 'ending.gguf'), { ...shape, seed: 9 });
writeMadeEmbedder(join(directory, 'embedder.gguf'));
writeMadeEmbedder(join(directory, 'ranker.gguf'), { pooling: 4 });
