/** From cards, as people write them, to what the engine opens. */
import { join } from 'node:path';
import type { LayoutNetwork, NetworkFile, TableNetwork, TextAngle, TextDetection, TextRecognition } from '../engine/vision-port.js';
import type { Card, CardKind } from './vision-card.js';

/** A network's file with its card; paths are of the network's directory. */
export interface CardedNetwork<Kind extends CardKind = CardKind> {
  file: string;
  directory: string;
  card: Card<Kind>;
}

function fileOf({ file, card: { precision, fit, channels, mean, std, pad } }: CardedNetwork): NetworkFile {
  return { file, precision, preparation: { fit, bgr: channels === 'bgr', mean, std, ...(pad === undefined ? {} : { pad }) } };
}

export function detectorOf(network: CardedNetwork<'text_detection'>): TextDetection {
  const { shortest_side: shortestSide, longest_side: longestSide, threshold, box_threshold: boxThreshold, unclip, most_boxes: mostBoxes } = network.card;
  return { ...fileOf(network), shortestSide, longestSide, threshold, boxThreshold, unclip, mostBoxes };
}

export function readerOf(network: CardedNetwork<'text_recognition'>): TextRecognition {
  const { dictionary, space, answer, height, least_width: leastWidth, most_width: mostWidth } = network.card;
  return { ...fileOf(network), ...(dictionary === undefined ? {} : { dictionary: join(network.directory, dictionary) }), space, logits: answer === 'logits', height, leastWidth, mostWidth };
}

export function angleOf(network: CardedNetwork<'text_angle'>): TextAngle {
  const { width, height, threshold } = network.card;
  return { ...fileOf(network), width, height, threshold };
}

export function layoutOf(network: CardedNetwork<'layout'>): LayoutNetwork {
  const { answer, width, height, labels, threshold, overlap, most_regions: mostRegions } = network.card;
  return { ...fileOf(network), answer, width, height, labels, threshold, overlap, mostRegions };
}

export function tableOf(network: CardedNetwork<'table'>): TableNetwork {
  const { answer, dictionary, merged_cells: mergedCells, boxes, width, height } = network.card;
  if (answer === 'separators' || dictionary === undefined) return { answer: 'separators', ...fileOf(network) };
  return { answer: 'words', ...fileOf(network), dictionary: join(network.directory, dictionary), mergedCells, paddedBoxes: boxes === 'picture', width, height };
}
