/** The enumerations and nested objects of the conversion options, by the contract's names. */
import type { Issue } from '../error-reply.js';
import { anyObject, decimal, flag, integer, list, literal, mapOf, nullable, oneOf, text, url, type Kind } from './kinds.js';
import { field, model, union } from './models.js';

const knownInputFormat = oneOf('InputFormat', 'A format that a document may have.', [
  'docx', 'doc', 'rtf', 'pptx', 'ppt', 'html', 'mhtml', 'image', 'pdf', 'asciidoc', 'md', 'csv', 'xlsx', 'xls', 'odt', 'ods', 'odp', 'xml_uspto',
  'xml_jats', 'xml_xbrl', 'xml_doclang', 'dclx', 'mets_gbs', 'json_docling', 'audio', 'video', 'vtt', 'latex', 'email', 'epub',
  'boxnote', 'iwork_pages', 'iwork_keynote', 'iwork_numbers', 'ebcdic', 'afp',
]);

/** Described by its names of today, read with any other: clients of later releases send names that are not known here, and nothing depends on them. */
export const inputFormat: Kind<string> & { words: readonly string[] } = {
  ...knownInputFormat,
  read: (value, at, issues) => (typeof value === 'string' && value !== '' ? value : knownInputFormat.read(value, at, issues)),
};

export const outputFormat = oneOf('OutputFormat', 'A format that a document can be converted to; this service makes md, json, html, html_split_page, text, doctags and latex.', [
  'md', 'json', 'yaml', 'html', 'html_split_page', 'text', 'doctags', 'vtt', 'doclang', 'dclx', 'chunks', 'latex',
]);

export const imageRefMode = oneOf('ImageRefMode', 'What stands for a picture: a comment, the picture itself as base64, or the name of a file in the zip.', [
  'placeholder', 'embedded', 'referenced',
]);

const todaysPdfBackend = oneOf('PdfBackend', 'Readers of PDF in the original; this service has one of its own.', [
  'docling_parse', '_docling_parse', 'pypdfium2', 'dlparse_v1', 'dlparse_v2', 'dlparse_v4',
]);
const formerPdfBackend = 'threaded_docling_parse';

/** With a name that earlier releases had. */
export const pdfBackend: Kind<string> & { words: readonly string[] } = {
  ...todaysPdfBackend,
  read: (value, at, issues) => (value === formerPdfBackend ? value : todaysPdfBackend.read(value, at, issues)),
};

export const tableMode = oneOf('TableFormerMode', 'Less time or more care for tables.', ['fast', 'accurate']);

export const pipeline = oneOf('ProcessingPipeline', 'Ways of converting: standard, or native, which reads what the file holds without recognition and networks. The others are not here.', [
  'legacy', 'standard', 'native', 'vlm', 'asr',
]);

export const targetName = oneOf('TargetName', 'How the result comes: as JSON, as links to a store (not here), as a zip.', ['inbody', 'presigned_url', 'zip']);

const vlmModelType = oneOf('VlmModelType', 'Vision-language models of the original; none is here.', [
  'smoldocling', 'smoldocling_vllm', 'granite_vision', 'granite_vision_vllm', 'granite_vision_ollama', 'got_ocr_2', 'granite_docling',
  'granite_docling_vllm', 'nanonets_ocr2', 'nanonets_ocr2_vllm', 'nanonets_ocr2_lmstudio', 'glm_ocr', 'glm_ocr_vllm', 'lightonocr',
  'lightonocr_vllm', 'deepseekocr_ollama',
]);
export const vlmModel = nullable(vlmModelType);

const responseFormat = oneOf('ResponseFormat', 'What a vision-language model is to write.', [
  'doctags', 'doclang', 'markdown', 'deepseekocr_markdown', 'unlimited_ocr_markdown', 'html', 'otsl', 'plaintext', 'chandra_html', 'dots_json',
  'nemotron_parse_v2', 'nemotron_parse_v3_5', 'mineru2',
]);
const inferenceFramework = oneOf('InferenceFramework', 'What runs a local model in the original.', ['mlx', 'transformers', 'vllm']);
const transformersModelType = oneOf('TransformersModelType', 'The class of a local model in the original.', ['automodel', 'automodel-causallm', 'automodel-imagetexttotext']);
const pictureLabel = oneOf('PictureClassificationLabel', 'What a picture may show.', [
  'bar_chart', 'box_plot', 'flow_chart', 'line_chart', 'pie_chart', 'scatter_plot', 'table', 'other_chart', 'full_page_image',
  'page_thumbnail', 'photograph', 'chemistry_structure', 'bar_code', 'icon', 'logo', 'qr_code', 'signature', 'stamp',
  'engineering_drawing', 'screenshot_from_computer', 'screenshot_from_manual', 'geographical_map', 'topographical_map', 'calendar',
  'crossword_puzzle', 'music', 'other', 'cad_drawing', 'electrical_diagram', 'map', 'heatmap', 'chemistry_markush_structure',
  'chemistry_molecular_structure', 'natural_image', 'picture_group', 'remote_sensing', 'scatter_chart', 'screenshot',
  'stacked_bar_chart', 'stratigraphic_chart',
]);

const zeroToOne = { least: 0, most: 1 };

export const headingHierarchyOptions = model('HeadingHierarchyOptions', 'How levels of headings are found. This service weighs all signs it has; only `enabled` is obeyed.', {
  enabled: field(flag, 'Levels for headings, instead of one for all.', false),
  use_bookmarks: field(flag, 'Take levels from the outline of the document.', true),
  use_numbering: field(flag, 'Take levels from numbers such as 2.1.', true),
  use_style: field(flag, 'Take levels from the size of the letters.', true),
  use_font_style: field(flag, 'Take levels from weight and slant too.', true),
  style_size_tolerance: field(decimal(zeroToOne), 'Sizes that differ by less count as one.', 0.05),
  numbering_schemes: field(nullable(list(text)), 'Kinds of numbering that are looked for; null for all.', null),
  max_level: field(integer({ least: 1, most: 100 }), 'The deepest level that is given.', 6),
  bookmark_match_threshold: field(decimal(zeroToOne), 'How alike a heading and an entry of the outline must be.', 0.8),
});

const pictureFilter = {
  classification_allow: field(nullable(list(pictureLabel)), 'Only pictures of these classes.', null),
  classification_deny: field(nullable(list(pictureLabel)), 'No pictures of these classes.', null),
  classification_min_confidence: field(decimal(zeroToOne), 'How sure a class must be.', 0),
};
const describePrompt = 'Describe this image in a few sentences.';
const convertPrompt = 'Convert this page to docling.';
const stringMap = mapOf(text);

export const pictureDescriptionLocal = nullable(model('PictureDescriptionLocal', 'A local model that describes pictures; accepted and not used.', {
  repo_id: field(text, 'Name of the model.'),
  prompt: field(text, 'What the model is asked.', describePrompt),
  generation_config: field(anyObject, 'Settings of the model.', { max_new_tokens: 200, do_sample: false }),
  ...pictureFilter,
}));

export const pictureDescriptionApi = nullable(model('PictureDescriptionApi', 'A remote model that describes pictures; accepted and not used.', {
  url: field(url(), 'Address of the model.'),
  headers: field(stringMap, 'Headers of the request.', {}),
  params: field(anyObject, 'Settings of the model.', {}),
  timeout: field(decimal(), 'Seconds.', 20),
  concurrency: field(integer({ above: 0 }), 'Requests at a time.', 1),
  prompt: field(text, 'What the model is asked.', describePrompt),
  ...pictureFilter,
}));

export const vlmModelLocal = nullable(model('VlmModelLocal', 'A local model that reads pages; accepted and not used.', {
  repo_id: field(text, 'Name of the model.'),
  prompt: field(text, 'What the model is asked.', convertPrompt),
  scale: field(decimal(), 'Scale of the page image.', 2),
  response_format: field(responseFormat, 'What the model writes.'),
  inference_framework: field(inferenceFramework, 'What runs the model.'),
  transformers_model_type: field(transformersModelType, 'Class of the model.', 'automodel'),
  extra_generation_config: field(anyObject, 'Settings of the model.', { max_new_tokens: 800, do_sample: false }),
  temperature: field(decimal(), 'Temperature of the sampling.', 0),
}));

export const vlmModelApi = nullable(model('VlmModelApi', 'A remote model that reads pages; accepted and not used.', {
  url: field(url(), 'Address of the model.'),
  headers: field(stringMap, 'Headers of the request.', {}),
  params: field(anyObject, 'Settings of the model.', {}),
  timeout: field(decimal(), 'Seconds.', 60),
  concurrency: field(integer({ above: 0 }), 'Requests at a time.', 1),
  prompt: field(text, 'What the model is asked.', convertPrompt),
  scale: field(decimal(), 'Scale of the page image.', 2),
  response_format: field(responseFormat, 'What the model writes.'),
  temperature: field(decimal(), 'Temperature of the sampling.', 0),
}));

const chunkerFields = {
  use_markdown_tables: field(flag, 'Tables as markdown instead of sentences.', false),
  use_markdown_images: field(flag, 'Pictures as markdown.', false),
  image_placeholder: field(text, 'What stands for a picture.', '![IMAGE]'),
  include_raw_text: field(flag, 'The text without its headings too.', false),
};

export const hybridChunkerOptions = model('HybridChunkerOptions', 'Chunks by structure, fitted to a number of tokens.', {
  chunker: field(literal('hybrid'), 'The chunker.', 'hybrid'),
  ...chunkerFields,
  max_tokens: field(nullable(integer({ least: 1 })), 'Tokens in a chunk at most, headings included; 256 where it is left out.', null),
  tokenizer: field(text, 'The model whose vocabulary counts tokens, by the name that it has here. One that is not here is ignored: the latest embedding model counts then, else the model that ships with the service. Each chunk names its own.', 'sentence-transformers/all-MiniLM-L6-v2'),
  merge_peers: field(flag, 'Small neighbours under one heading become one chunk.', true),
});

export const hierarchicalChunkerOptions = model('HierarchicalChunkerOptions', 'Chunks by structure alone.', {
  chunker: field(literal('hierarchical'), 'The chunker.', 'hierarchical'),
  ...chunkerFields,
});

export const chunkingOptions = nullable(union('chunker', { hybrid: hybridChunkerOptions, hierarchical: hierarchicalChunkerOptions }));

/** Pairs of options that exclude each other, as sentences about what was given. */
export function checkExclusions(value: Record<string, unknown>, issues: Issue[]): void {
  const given = (name: string): boolean => value[name] !== null && value[name] !== undefined;
  const filled = (name: string): boolean => given(name) && value[name] !== '' && !(typeof value[name] === 'object' && Object.keys(value[name] as object).length === 0);
  const refuse = (sentence: string): void => { issues.push({ type: 'value_error', loc: [], msg: `Value error, ${sentence}` }); };
  const both = (first: string, second: string, tail = ''): void => {
    if (filled(first) && filled(second)) refuse(`Cannot specify both ${first} and ${second}.${tail}`);
  };
  const legacyVlm = ['vlm_pipeline_model', 'vlm_pipeline_model_local', 'vlm_pipeline_model_api'];
  const legacyPictures = ['picture_description_local', 'picture_description_api'];
  if (legacyPictures.every(given)) {
    refuse('The parameters picture_description_local and picture_description_api are mutually exclusive, only one of them can be set.');
  }
  if (legacyVlm.filter(given).length > 1) {
    refuse('The parameters vlm_pipeline_model, vlm_pipeline_model_local and vlm_pipeline_model_api are mutually exclusive, only one of them can be set.');
  }
  both('vlm_pipeline_preset', 'vlm_pipeline_custom_config', ' Please use one or the other.');
  if (legacyVlm.some(given) && (given('vlm_pipeline_preset') || given('vlm_pipeline_custom_config'))) {
    refuse('Cannot mix legacy VLM options (vlm_pipeline_model*) with new options (vlm_pipeline_preset/custom_config). Please use only one approach.');
  }
  both('picture_description_preset', 'picture_description_custom_config');
  if (legacyPictures.some(given) && (given('picture_description_preset') || given('picture_description_custom_config'))) {
    refuse('Cannot mix legacy picture description options (picture_description_local/api) with new options (picture_description_preset/custom_config). Please use only one approach.');
  }
  both('code_formula_preset', 'code_formula_custom_config');
  both('layout_preset', 'layout_custom_config');
  both('picture_classification_preset', 'picture_classification_custom_config');
  both('chart_extraction_preset', 'chart_extraction_custom_config');
  if (value['ocr_preset'] !== 'auto' && filled('ocr_custom_config')) refuse('Cannot specify both ocr_preset and ocr_custom_config.');
  if (filled('chunking_preset') && given('chunking_options')) refuse('Cannot specify both chunking_preset and chunking_options.');
}
