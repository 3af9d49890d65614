/** Every option of a conversion: kind, default, meaning, and which values this service cannot honour. Validation and OpenAPI both read it. */
import { defaultConvertOptions, type OutputFormat } from '../../convert/options.js';
import type { Abilities } from '../dependencies.js';
import { anyObject, decimal, flag, list, nullable, pageRange, text, type Kind, wordList } from './kinds.js';
import {
  chunkingOptions, headingHierarchyOptions, imageRefMode, inputFormat, outputFormat, pdfBackend, pictureDescriptionApi,
  pictureDescriptionLocal, pipeline, tableMode, vlmModel, vlmModelApi, vlmModelLocal,
} from './option-models.js';
import type { Field } from './models.js';

/** True for a value that is accepted and without effect here. */
type Unmet<T> = (value: T, abilities: Abilities) => boolean;

export interface Option<T> extends Field<T> {
  default: T;
  help: string;
  deprecated?: true;
  /** Asked only of values that differ from the default. Absent: all of them are honoured. */
  unmet?: Unmet<T>;
}

function option<T>(kind: Kind<T>, fallback: NoInfer<T>, help: string, unmet?: Unmet<NoInfer<T>>): Option<T> {
  return { kind, default: fallback, help, ...(unmet === undefined ? {} : { unmet }) };
}

function deprecated<T>(made: Option<T>): Option<T> {
  return { ...made, deprecated: true };
}

const always = (): boolean => true;
/** `default` is the preset that this service has. */
const unlessDefaultPreset: Unmet<string | null> = (value) => value !== null && value !== '' && value !== 'default';
const preset = (what: string): Option<string | null> =>
  option(nullable(text), null, `Name of a preset for ${what}; \`default\` is the only one here.`, unlessDefaultPreset);
const customConfig = (what: string): Option<Record<string, unknown> | null> =>
  option(nullable(anyObject), null, `Configuration of another model for ${what}; accepted and not used.`, always);

/** The engines that a client may name; the one that is installed stands for all of them. */
export const ocrPresets = ['auto', 'easyocr', 'kserve_v2_ocr', 'nemotron-ocr', 'ocrmac', 'rapidocr', 'tesseract', 'tesserocr'];
/** The contract's models that read charts; none is here. */
export const chartPresets = ['default', 'granite_vision_v4', 'granite_vision_v4_mlx', 'granite_vision_v3_3'];
/** Formats of `to_formats` that this service makes. */
export const madeFormats: readonly OutputFormat[] = ['md', 'json', 'html', 'html_split_page', 'text', 'doctags', 'latex'];
/** All of them name the one reader of PDF that is here. */
const ownPdfBackends = ['docling_parse', '_docling_parse', 'threaded_docling_parse'];

const cannotRead: Unmet<string> = (value, { textRecognition, textModels = [] }) =>
  !textModels.some((name) => name.toLowerCase() === value.toLowerCase()) && (!textRecognition || !value.startsWith('tess'));

/** The contract's options in its order, then ours. */
export const optionTable = {
  from_formats: option(list(inputFormat), [...inputFormat.words], 'Formats that are expected. The format is always found from the bytes and the name.'),
  to_formats: option(list(outputFormat), ['md'], 'Formats of the result; repeat the field for several.', (formats) => formats.some((format) => !(madeFormats as readonly string[]).includes(format))),
  image_export_mode: option(imageRefMode, defaultConvertOptions.imageExportMode, 'What stands for pictures in the result.'),
  do_ocr: option(flag, true, 'Read text from pictures where a page has none of its own.'),
  force_ocr: option(flag, false, 'Read the text of every page from its picture, whatever text it has.', (value, { textRecognition }) => value && !textRecognition),
  ocr_engine: deprecated(option(text, 'auto', 'Older name of ocr_preset, which counts where ocr_preset is absent or has its default.', cannotRead)),
  ocr_lang: option(nullable(wordList()), null, 'Languages to expect in pictures of text: tags of BCP 47 behind `iso:`, codes of ISO 639 or of an OCR engine, or English names; repeat the field for several, or separate them with commas.', (value, { textRecognition }) => (value ?? []).some((one) => one !== '') && !textRecognition),
  ocr_preset: option(text, 'auto', 'Which engine reads pictures of text: ours for its languages, then an installed model that knows them, then Tesseract where it is installed; tesseract asks for that one, the name of an installed model for that.', cannotRead),
  ocr_custom_config: customConfig('reading pictures of text'),
  pdf_backend: option(pdfBackend, 'docling_parse', 'Which reader of PDF is used; there is one, of our own.', (value) => !ownPdfBackends.includes(value)),
  table_mode: option(tableMode, defaultConvertOptions.tableMode, 'Less time or more care for tables.'),
  table_cell_matching: option(flag, true, 'Cells take their text from the page. It is always so here.', (value) => !value),
  pipeline: option(pipeline, 'standard', 'How documents are converted.', (value) => value !== 'native'),
  page_range: option(pageRange, defaultConvertOptions.pageRange, 'First and last page, from 1; in a form the field is given twice.'),
  document_timeout: option(nullable(decimal()), null, 'Seconds one document may take; what is done by then is delivered.'),
  abort_on_error: option(flag, false, 'Stop at the first page that fails.'),
  do_table_structure: option(flag, true, 'Find the rows and columns of tables.'),
  do_pdf_heading_hierarchy: option(flag, defaultConvertOptions.doPdfHeadingHierarchy, 'Give headings their levels; switched off, all have one level.'),
  pdf_heading_hierarchy_options: option(headingHierarchyOptions, headingDefaults(), 'How levels of headings are found.', (value) =>
    JSON.stringify({ ...value, enabled: false }) !== JSON.stringify(headingDefaults())),
  include_images: option(flag, true, 'Cut the pictures out of the pages.'),
  include_page_images: option(flag, false, 'A picture of every page.'),
  images_scale: option(decimal(), defaultConvertOptions.imagesScale, 'Size of pictures; 1 is 72 dots per inch.'),
  md_page_break_placeholder: option(text, '', 'Put between pages in markdown; `{page}` in it becomes the number of the page that begins.'),
  md_compact_tables: option(flag, false, 'Tables in markdown without padding.'),
  chunking_options: option(chunkingOptions, null, 'How a document would be cut into chunks; accepted and not used.', always),
  chunking_preset: preset('cutting into chunks'),
  do_code_enrichment: option(flag, false, 'Recognise the language of code.', (value, { code }) => value && !code),
  do_formula_enrichment: option(flag, false, 'Write formulas as LaTeX.', (value, { formulas }) => value && !formulas),
  do_picture_classification: option(flag, false, 'Say what pictures show; not done here.', always),
  do_chart_extraction: option(flag, false, 'Read the numbers of charts; not done here.', always),
  do_picture_description: option(flag, false, 'Describe pictures in words; not done here.', always),
  picture_description_area_threshold: option(decimal(), 0.05, 'Share of the page from which a picture would be described.', always),
  picture_description_local: deprecated(option(pictureDescriptionLocal, null, 'A local model to describe pictures; accepted and not used.', always)),
  picture_description_api: deprecated(option(pictureDescriptionApi, null, 'A remote model to describe pictures; accepted and not used.', always)),
  vlm_pipeline_model: deprecated(option(vlmModel, null, 'A model that reads whole pages; accepted and not used.', always)),
  vlm_pipeline_model_local: deprecated(option(vlmModelLocal, null, 'A local model that reads whole pages; accepted and not used.', always)),
  vlm_pipeline_model_api: deprecated(option(vlmModelApi, null, 'A remote model that reads whole pages; accepted and not used.', always)),
  vlm_pipeline_preset: preset('reading whole pages'),
  picture_description_preset: preset('describing pictures'),
  code_formula_preset: preset('code and formulas'),
  vlm_pipeline_custom_config: customConfig('reading whole pages'),
  picture_description_custom_config: customConfig('describing pictures'),
  code_formula_custom_config: customConfig('code and formulas'),
  table_structure_preset: preset('tables'),
  table_structure_custom_config: customConfig('tables'),
  layout_custom_config: customConfig('the layout of pages'),
  layout_preset: preset('the layout of pages'),
  picture_classification_preset: preset('classes of pictures'),
  picture_classification_custom_config: customConfig('classes of pictures'),
  chart_extraction_preset: option(nullable(text), null, `Name of a model that reads charts: ${chartPresets.join(', ')}; none is here.`, unlessDefaultPreset),
  chart_extraction_custom_config: option(nullable(anyObject), null, 'Configuration of another model that reads charts; refused.'),
  include_pages: option(flag, false, 'Lectern: the markdown of each page apart, in `document.pages`.'),
  keep_furniture: option(flag, false, 'Lectern: running headers and footers and page numbers stay in the markdown.'),
  keep_notes: option(flag, false, "Lectern: the speaker's notes of presentations stay in the markdown."),
  keep_html: option(flag, false, "Lectern: HTML, and words that would be a link to a script, stay as they are in the document's text in markdown. For readers that do not render it."),
  keep_source: option(flag, false, 'Lectern: the document stays with its result, as long as that, so that `/v1/tasks/{task_id}/pages/{page}` can draw its pages and `/v1/tasks/{task_id}/source` returns it. Of requests with one document.'),
  pdf_password: option(nullable(text), null, 'Lectern: the password of an encrypted PDF.'),
};

export type OptionName = keyof typeof optionTable;
export type OptionValues = { [K in OptionName]: (typeof optionTable)[K] extends Option<infer T> ? T : never };

/** In the table's order. */
export const optionNames = Object.keys(optionTable) as OptionName[];

export function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(optionTable, name);
}

function headingDefaults(): NonNullable<ReturnType<typeof headingHierarchyOptions.read>> {
  const issues: never[] = [];
  return headingHierarchyOptions.read({}, [], issues) as NonNullable<ReturnType<typeof headingHierarchyOptions.read>>;
}
