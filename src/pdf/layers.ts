/** Optional-content layers that are switched off. Their objects other than text are dropped; visibility of text is tested letter by letter. */
import type { Box } from './pdf-page.js';
import { objectBounds } from './page-objects.js';
import type { PageObject } from './page-objects.js';
import type { Pdfium } from './pdfium.js';
import type { Proof } from './proof-by-drawing.js';

/** Drawings have hundreds of layers; those beyond this number count as visible. */
const MAX_LAYERS = 60;
const SAMPLES_PER_LAYER = 20;

export function dropHiddenLayers(objects: PageObject[], pdfium: Pdfium, proof: Proof): PageObject[] {
  const layers = new Map<string, PageObject[]>();
  for (const object of objects) {
    if (object.layer === null || object.kind === 'form' || object.kind === 'text') continue;
    const known = layers.get(object.layer);
    if (known === undefined) layers.set(object.layer, [object]);
    else if (known.length < SAMPLES_PER_LAYER) known.push(object);
  }
  if (layers.size === 0 || layers.size > MAX_LAYERS) return objects;
  const boxes = new Map<PageObject, Box>();
  for (const samples of layers.values()) {
    for (const sample of samples) {
      const box = objectBounds(pdfium, sample);
      if (box !== null) boxes.set(sample, box);
    }
  }
  const unpainted = proof.unpainted(new Set(boxes.keys()), boxes);
  const hidden = new Set([...layers].filter(([, samples]) => samples.every((sample) => !boxes.has(sample) || unpainted.has(sample))).map(([name]) => name));
  return hidden.size === 0 ? objects : objects.filter((object) => object.kind === 'text' || object.layer === null || !hidden.has(object.layer));
}
