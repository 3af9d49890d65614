/**
 * DoclingDocument in an older minor version, for readers that refuse what they do not know: what a version added is taken out or becomes what stood for it before. Steps as
 * docling-core's compat module has them, down to 1.5. Older versions have neither nulls nor fields that are not set.
 */
import type { DoclingDocument } from './model.js';

type JsonObject = Record<string, unknown>;

/** Of DoclingDocument 1.N, for the N of today and the oldest that can be written. */
export const currentMinor = 10;
export const oldestMinor = 5;

const fieldLabels = new Set(['field_heading', 'field_key', 'field_value', 'field_hint', 'marker', 'handwritten_text']);
const codeLanguagesOf110 = new Set(['DocLang', 'JSON', 'Latex', 'Tikz']);
const metaFieldsOf110 = new Set(['language', 'entities', 'keywords', 'topics', 'code']);
const pictureClassesOf19 = new Set([
  'other', 'picture_group', 'pie_chart', 'bar_chart', 'stacked_bar_chart', 'line_chart', 'flow_chart', 'scatter_chart', 'heatmap', 'remote_sensing', 'natural_image',
  'chemistry_molecular_structure', 'chemistry_markush_structure', 'icon', 'logo', 'signature', 'stamp', 'qr_code', 'bar_code', 'screenshot', 'map', 'stratigraphic_chart',
  'cad_drawing', 'electrical_diagram',
]);

function without(object: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Predicted classes that 1.9 does not have become `other`, wherever they stand below `value`. */
function withOldClasses(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOldClasses);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [
    name, name === 'class_name' && typeof inner === 'string' && !pictureClassesOf19.has(inner) ? 'other' : withOldClasses(inner),
  ]));
}

export class JsonVersion {
  /** From references to field regions and field items to those of the groups that take their places. */
  private readonly moved = new Map<string, string>();

  /** `minor` is from `oldestMinor` up to below `currentMinor`. */
  constructor(document: Pick<DoclingDocument, 'groups' | 'field_regions' | 'field_items'>, private readonly minor: number) {
    for (const { self_ref: ref } of [...document.field_regions, ...document.field_items]) this.moved.set(ref, `#/groups/${document.groups.length + this.moved.size}`);
  }

  get version(): string {
    return `1.${this.minor}.0`;
  }

  /** The regions and fields of forms as groups: so their children keep their places in the tree. */
  fieldsAsGroups(document: Pick<DoclingDocument, 'field_regions' | 'field_items'>): JsonObject[] {
    return [...document.field_regions, ...document.field_items].map(({ self_ref, parent, children, content_layer, meta, label }) => ({
      self_ref, parent, children, content_layer, meta, name: label, label: label === 'field_region' ? 'form_area' : 'unspecified',
    }));
  }

  /** An item, a group, or the root of a layer. */
  item(item: JsonObject): JsonObject {
    const dropped = new Set([...(this.minor < 9 ? ['comments', 'source'] : []), ...(this.minor < 8 ? ['meta'] : [])]);
    const made = without(item, dropped);
    if (isObject(made['meta'])) made['meta'] = withOldClasses(without(made['meta'], metaFieldsOf110));
    if (Array.isArray(made['annotations'])) made['annotations'] = withOldClasses(made['annotations']);
    if (codeLanguagesOf110.has(made['code_language'] as string)) made['code_language'] = 'unknown';
    // A field's text is text; what else it says of itself has no place.
    return fieldLabels.has(made['label'] as string) ? { ...without(made, new Set(['kind', 'level'])), label: 'text' } : made;
  }

  cell(cell: JsonObject): JsonObject {
    return without(cell, new Set([...(this.minor < 7 ? ['fillable'] : []), ...(this.minor < 6 ? ['ref'] : [])]));
  }

  stringify(value: unknown): string {
    return JSON.stringify(value, (name, inner: unknown) => {
      if (inner === null) return undefined;
      return (name === '$ref' || name === 'self_ref') && typeof inner === 'string' ? this.moved.get(inner) ?? inner : inner;
    });
  }
}
