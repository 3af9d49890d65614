/** Writes models into a directory as Ollama lays them out. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface StoredLayers {
  model: string | Buffer;
  template?: string;
  prompt?: string;
  system?: string;
  params?: string;
  messages?: string;
  licenses?: string[];
  from?: string;
  /** More layers, by their types. */
  more?: Record<string, string>;
}

interface Layer {
  mediaType: string;
  digest: string;
  size: number;
  from?: string;
}

export function writeBlob(root: string, content: string | Buffer, mediaType = ''): Layer {
  const hash = createHash('sha256').update(content).digest('hex');
  mkdirSync(join(root, 'blobs'), { recursive: true });
  writeFileSync(join(root, 'blobs', `sha256-${hash}`), content);
  return { mediaType, digest: `sha256:${hash}`, size: Buffer.byteLength(content) };
}

/** `place` such as `registry.ollama.ai/library/qwen2.5/72b`. Answers the manifest's path. */
export function writeManifest(root: string, place: string, content: string): string {
  const path = join(root, 'manifests', place);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** Answers the manifest's path and the blob's of the weights. */
export function writeStored(root: string, place: string, { model, licenses = [], from, more = {}, ...texts }: StoredLayers): { manifest: string; blob: string; text: string } {
  const image = 'application/vnd.ollama.image.';
  const weights = { ...writeBlob(root, model, `${image}model`), ...(from === undefined ? {} : { from }) };
  const others = Object.entries({ ...texts, ...more }).map(([type, text]) => writeBlob(root, text, image + type));
  const config = writeBlob(root, '{"model_format":"gguf"}', 'application/vnd.docker.container.image.v1+json');
  const layers = [weights, ...others, ...licenses.map((text) => writeBlob(root, text, `${image}license`))];
  const text = JSON.stringify({ schemaVersion: 2, mediaType: 'application/vnd.docker.distribution.manifest.v2+json', config, layers });
  return { manifest: writeManifest(root, place, text), blob: join(root, 'blobs', weights.digest.replace(':', '-')), text };
}
