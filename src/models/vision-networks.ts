/** From cards, as people write them, to what the engine opens. */
import { join } from 'node:path';
import type { LayoutNetwork, Preparation, TableNetwork, TextAngle, TextDetection, TextRecognition } from '../engine/vision-port.js';
import type { Card, CardKind } from './vision-card.js';

/** A network's file with its card; paths are of the network's directory. */
export interface CardedNetwork<Kind extends CardKind = CardKind> {
  file: string;
  directory: string;
  card: Card<Kind>;
}

function preparation({ fit, channels, mean, std, pad }: Card): Preparation {
  return { fit, bgr: channels === 'bgr', mean, std, ...(pad === undefined ? {} : { pad }) };
}

export function detectorOf({ file, card }: CardedNetwork<'text_detection'>): TextDetection {
  const { shortest_side: shortestSide, longest_side: longestSide, threshold, box_threshold: boxThreshold, unclip, most_boxes: mostBoxes } = card;
  return { file, preparation: preparation(card), shortestSide, longestSide, threshold, boxThreshold, unclip, mostBoxes };
}

export function readerOf({ file, directory, card }: CardedNetwork<'text_recognition'>): TextRecognition {
  const { dictionary, space, answer, height, least_width: leastWidth, most_width: mostWidth } = card;
  return { file, preparation: preparation(card), ...(dictionary === undefined ? {} : { dictionary: join(directory, dictionary) }), space, logits: answer === 'logits', height, leastWidth, mostWidth };
}

export function angleOf({ file, card }: CardedNetwork<'text_angle'>): TextAngle {
  const { width, height, threshold } = card;
  return { file, preparation: preparation(card), width, height, threshold };
}

export function layoutOf({ file, card }: CardedNetwork<'layout'>): LayoutNetwork {
  const { answer, width, height, labels, threshold, overlap, most_regions: mostRegions } = card;
  return { file, preparation: preparation(card), answer, width, height, labels, threshold, overlap, mostRegions };
}

export function tableOf({ file, directory, card }: CardedNetwork<'table'>): TableNetwork {
  const { dictionary, merged_cells: mergedCells, boxes, width, height } = card;
  return { file, preparation: preparation(card), dictionary: join(directory, dictionary), mergedCells, paddedBoxes: boxes === 'picture', width, height };
}
