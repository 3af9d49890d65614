/** What enrichment found out about a picture, as sentences for the writers: its description, its kind, its molecule. */
import type { PictureItem } from './model.js';

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function first(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function sentences(candidates: unknown[]): string[] {
  return candidates.filter((text): text is string => typeof text === 'string' && text.trim() !== '');
}

function readable(name: unknown): unknown {
  return typeof name === 'string' ? name.replace(/_/g, ' ') : name;
}

/** Notes from `meta`, or from the older `annotations` where there is no `meta`; each is one paragraph. */
export function pictureNotes(picture: PictureItem): string[] {
  const { meta } = picture;
  if (meta !== null) {
    return sentences([
      field(meta.summary, 'text'),
      field(meta.description, 'text'),
      readable(field(first(field(meta.classification, 'predictions')), 'class_name')),
      field(meta.molecule, 'smi'),
    ]);
  }
  return sentences(picture.annotations.map((annotation) => {
    switch (field(annotation, 'kind')) {
      case 'description': return field(annotation, 'text');
      case 'classification': return readable(field(first(field(annotation, 'predicted_classes')), 'class_name'));
      case 'molecule_data': return field(annotation, 'smi');
      default: return undefined;
    }
  }));
}
