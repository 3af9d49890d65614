/** DoclingDocument, the model of docling-core that `json_content` keeps to, as the description of the API shows it: what this service writes of it. */
import { anyObject, decimal, flag, integer, list, mapOf, nullable, text, type Kind } from '../../conversion/kinds.js';
import { field, model } from '../../conversion/models.js';

const anything: Kind<unknown> = { ...anyObject, describe: () => ({}) };
/** The word is that of the contract; generators make a property of it. */
const reference = model('RefItem', 'A reference to another item.', { $ref: field(text, 'Such as #/texts/3.') });
const references = field(list(reference), 'References to items.', []);
const nothing = <T>(kind: Kind<T>, help: string) => field(nullable(kind), help, null);

const boundingBox = model('BoundingBox', 'A rectangle on a page, in points.', {
  l: field(decimal(), 'Left.'), t: field(decimal(), 'Top.'), r: field(decimal(), 'Right.'), b: field(decimal(), 'Bottom.'),
  coord_origin: field(text, 'TOPLEFT or BOTTOMLEFT.', 'TOPLEFT'),
});
const size = model('Size', 'Width and height.', { width: field(decimal(), 'Width.', 0), height: field(decimal(), 'Height.', 0) });
const image = model('ImageRef', 'A picture: an address, or its bytes as a data address.', {
  mimetype: field(text, 'Media type.'), dpi: field(integer(), 'Dots per inch.'), size: field(size, 'In pixels.'), uri: field(text, 'The address.'),
});
const provenance = model('ProvenanceItem', 'Where on a page an item stands.', {
  page_no: field(integer(), 'The page, from 1.'), bbox: field(boundingBox, 'The rectangle.'), charspan: field(list(integer()), 'First and last character of the item that stand there.'),
});
const formatting = model('Formatting', 'How a text is set.', {
  bold: field(flag, 'Bold.', false), italic: field(flag, 'Italic.', false), underline: field(flag, 'Underlined.', false), strikethrough: field(flag, 'Struck.', false),
  script: field(text, 'baseline, sub or super.', 'baseline'),
});

const nodeFields = {
  self_ref: field(text, 'The item\'s own reference.'),
  parent: nothing(reference, 'The item that this one stands in.'),
  children: references,
  content_layer: field(text, 'body, furniture, background, invisible or notes.', 'body'),
  meta: nothing(anything, 'What is known beside the content.'),
};
const placedFields = {
  ...nodeFields,
  label: field(text, 'What kind of item it is.'),
  prov: field(list(provenance), 'Where it stands.', []),
  source: field(list(anyObject), 'What it was made from.', []),
  comments: field(list(anyObject), 'Comments on it.', []),
};
const floatingFields = { captions: references, references, footnotes: references, image: nothing(image, 'Its picture.') };

const group = model('GroupItem', 'Items that belong together, such as a list.', { ...nodeFields, name: field(text, 'Name of the group.', 'group'), label: field(text, 'What kind of group it is.', 'unspecified') });
const textItem = model('TextItem', 'A text: a paragraph, heading, list item, piece of code, formula and others, by its label.', {
  ...placedFields,
  orig: field(text, 'As it stands in the document.'),
  text: field(text, 'As it is read.'),
  formatting: nothing(formatting, 'How it is set.'),
  hyperlink: nothing(text, 'Where it links to.'),
  level: field(integer(), 'Of headings: from 1.', 1),
  enumerated: field(flag, 'Of list items: whether the list is numbered.', false),
  marker: field(text, 'Of list items: what stands before the text.', '-'),
  code_language: field(text, 'Of code: its language.', 'unknown'),
  ...floatingFields,
});
const pictureItem = model('PictureItem', 'A picture.', { ...placedFields, ...floatingFields, annotations: field(list(anyObject), 'What is known of it.', []) });
const tableCell = model('TableCell', 'A cell of a table.', {
  bbox: nothing(boundingBox, 'Where it stands.'),
  row_span: field(integer(), 'Rows that it covers.', 1),
  col_span: field(integer(), 'Columns that it covers.', 1),
  start_row_offset_idx: field(integer(), 'Its first row, from 0.'),
  end_row_offset_idx: field(integer(), 'The row behind its last.'),
  start_col_offset_idx: field(integer(), 'Its first column, from 0.'),
  end_col_offset_idx: field(integer(), 'The column behind its last.'),
  text: field(text, 'Its text.'),
  column_header: field(flag, 'Whether it names columns.', false),
  row_header: field(flag, 'Whether it names a row.', false),
  row_section: field(flag, 'Whether it names a group of rows.', false),
  fillable: field(flag, 'Whether it is there to be filled in.', false),
  ref: nothing(reference, 'Where it has items of its own: the group of these.'),
});
const tableData = model('TableData', 'The cells of a table, and the grid in which they stand.', {
  table_cells: field(list(tableCell), 'Each cell once.', []),
  num_rows: field(integer(), 'Rows.', 0),
  num_cols: field(integer(), 'Columns.', 0),
  orientation: field(text, 'How the table stands on its page.', 'rot_0'),
  grid: field(list(list(tableCell)), 'The cells by rows and columns; one that covers several stands in each.'),
});
const tableItem = model('TableItem', 'A table.', { ...placedFields, ...floatingFields, data: field(tableData, 'Its cells.'), annotations: field(list(anyObject), 'What is known of it.', []) });
const graphFields = { ...placedFields, ...floatingFields, graph: field(anyObject, 'Its cells and the links between them.') };
const page = model('PageItem', 'A page.', { size: field(size, 'In points.'), image: nothing(image, 'Its picture.'), page_no: field(integer(), 'From 1.') });
const origin = model('DocumentOrigin', 'The file that the document was made from.', {
  mimetype: field(text, 'Media type.'), binary_hash: field(decimal(), 'Hash of its bytes.'), filename: field(text, 'Its name.'), uri: nothing(text, 'Where it came from.'),
});

export const doclingDocument = model('DoclingDocument', 'A document in the model of docling-core, version 1.10.0 or the one that Accept-Docling-Document-Version asks for.', {
  schema_name: field(text, 'Always DoclingDocument.', 'DoclingDocument'),
  version: field(text, 'Version of the model.', '1.10.0'),
  name: field(text, 'Name of the document.'),
  origin: nothing(origin, 'The file.'),
  furniture: field(group, 'Root of running headers and footers.'),
  body: field(group, 'Root of the content, in reading order.'),
  groups: field(list(group), 'Groups.', []),
  texts: field(list(textItem), 'Texts.', []),
  pictures: field(list(pictureItem), 'Pictures.', []),
  tables: field(list(tableItem), 'Tables.', []),
  key_value_items: field(list(model('KeyValueItem', 'Keys and their values.', graphFields)), 'Keys and values.', []),
  form_items: field(list(model('FormItem', 'A form.', graphFields)), 'Forms.', []),
  field_regions: field(list(model('FieldRegionItem', 'A region of fields to fill in.', placedFields)), 'Regions of fields.', []),
  field_items: field(list(model('FieldItem', 'A field to fill in.', placedFields)), 'Fields.', []),
  pages: field(mapOf(page), 'Pages by their number.', {}),
});
