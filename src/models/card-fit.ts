/** Checks whether a vision network is what its card says, by the inputs and outputs that its file declares, before it is opened. native/vision checks the rest when it opens the network. */
import type { Card } from './vision-card.js';
import type { NetworkHeader, NetworkPort } from './onnx-header.js';

/** Element types of ONNX tensors (TensorProto.DataType). */
const [unknown, float32] = [0, 1];
/** A second input that RT-DETR's official export has. */
const pictureSizes = 'orig_target_sizes';

/** "(n, 3, h, w)" */
export function describePort({ name, sizes }: NetworkPort): string {
  return `${name} ${sizes === null ? '(of any shape)' : `(${sizes.map((size) => (size < 0 ? 'any' : String(size))).join(', ')})`}`;
}

/** Why card and network do not match, with the key of the card that is wrong, as words that follow the network's name in a sentence, without a full stop; null where no mismatch is found. */
export function misfit(card: Card, { inputs, outputs, metadata }: NetworkHeader): string | null {
  const [picture, sizes] = inputs;
  if (picture === undefined || inputs.length > 2 || (sizes !== undefined && sizes.name !== pictureSizes)) return `it takes other tensors than one of pictures: ${inputs.map(describePort).join(', ') || 'none'}`;
  const fits = [unknown, float32].includes(picture.element) && picture.sizes?.length === 4 && [3, -1].includes(picture.sizes[1] as number);
  if (!fits) return `its input ${describePort(picture)} is not (n, 3, h, w) of floats`;
  const [first] = outputs;
  if (first === undefined) return 'it gives nothing';
  return misfitOfAnswer(card, outputs, first, metadata);
}

function misfitOfAnswer(card: Card, outputs: NetworkPort[], first: NetworkPort, metadata: NetworkHeader['metadata']): string | null {
  const given = `its outputs are ${outputs.map(describePort).join(', ')}`;
  const ofKind = (wants: string): string => `the key "kind" of its card is ${JSON.stringify(card.kind)}, which gives ${wants}, and ${given}`;
  const lacks = (...names: string[][]): string[] | undefined => names.find((either) => !outputs.some(({ name }) => either.includes(name)));
  const axes = first.sizes?.length ?? null;
  const others = (size: number | undefined, wanted: number): boolean => size !== undefined && size >= 0 && size !== wanted;
  if (card.kind === 'text_detection') return axes === null || axes === 0 || (axes === 4 && !others(first.sizes?.[1], 1)) ? null : ofKind('one map (n, 1, h, w)');
  if (card.kind === 'text_angle') return axes === null || axes === 0 || (axes === 2 && !others(first.sizes?.[1], 2)) ? null : ofKind('two classes (n, 2)');
  if (card.kind === 'text_recognition') {
    if (axes !== null && axes !== 0 && axes !== 3) return ofKind('rows of classes (n, steps, classes)');
    return card.dictionary === undefined && !metadata.has('character') ? 'the key "dictionary" of its card is missing, and the file has no dictionary in its metadata ("character")' : null;
  }
  const wanted = card.kind === 'table' ? (card.answer === 'separators' ? [['rows'], ['columns'], ['spans']] : [])
    : { queries: [['logits'], ['boxes', 'pred_boxes']], finished_boxes: [['labels'], ['boxes'], ['scores']], selected: [['boxes'], ['scores'], ['selected']], places: [], finished_rows: [] }[card.answer];
  const answer = `the key "answer" of its card is ${JSON.stringify(card.answer)}`;
  const missing = lacks(...wanted);
  if (missing !== undefined) return `${answer}, which gives ${missing.join(' or ')}, and ${given}`;
  if (card.kind === 'table') return card.answer === 'words' && outputs.length !== 2 ? `${answer}, which gives boxes and words, and ${given}` : null;
  if (card.answer === 'finished_rows' && others(first.sizes?.[2], 6)) return `${answer}, which gives rows of 6 numbers, and ${given}`;
  const declared = card.answer === 'queries' ? outputs.find(({ name }) => name === 'logits')?.sizes?.[2] : card.answer === 'places' ? (first.sizes?.[1] ?? -1) - 4 : undefined;
  if (declared !== undefined && declared > 0 && declared !== card.labels.length) return `the key "labels" of its card names ${card.labels.length}, and the network knows ${declared}`;
  return null;
}
