/** Pictures that the layout network proposes: how many they are. */
import t from 'tap';
import { withProposedFigures } from '../../src/convert/decide/figure-proposals.js';
import type { FigureRegion } from '../../src/convert/page/regions.js';
import type { TextLine } from '../../src/convert/page/text-line.js';
import type { LayoutPrediction } from '../../src/convert/page/layout-prediction.js';
import { line } from '../support/page-structures.js';

/** From 100 to 500 points across, from 200 to 300 down the page. */
const opinion: LayoutPrediction = { regions: [{ label: 'picture', score: 0.99, lines: [], drawn: true, left: 100, right: 500, top: 200, bottom: 300 }], lines: new Map(), words: [[]] };

const figure = (left: number, right: number): FigureRegion => ({ box: { left, right, top: 200, bottom: 300 }, chart: false, ownsText: true });

/** The left and right edges of the pictures, left to right. */
const edges = (found: FigureRegion[], pieces: TextLine[]): number[][] =>
  withProposedFigures(found, opinion, [], pieces).map(({ box }) => [box.left, box.right]).sort((a, b) => a[0]! - b[0]!);

t.test('pictures side by side are as many as captions stand below them', (t) => {
  const both = [figure(100, 280), figure(320, 500)];
  const captions = [line(100, 315, 'Figure 1: The left one'), line(320, 315, 'Figure 2: The right one')];
  t.same(edges(both, captions), [[100, 280], [320, 500]]);
  t.same(edges(both, [...captions, line(305, 250, '40', { size: 8 })]), [[100, 280], [305, 500]], 'with what is written at its axis');
  t.same(edges([], captions), [[100, 262], [262, 500]], 'parted between the captions where nothing else tells');
  t.same(edges(both, [line(100, 315, 'Figure 1: Both of them, the left and the right')]), [[100, 500]], 'one caption');
  t.same(edges(both, [line(150, 315, '(a)'), line(400, 315, '(b)'), line(200, 330, 'Figure 1: Both of them')]), [[100, 500]], 'parts of one');
  t.same(edges([figure(100, 500)], captions), [[100, 500]], 'a picture as wide as both');
  t.same(edges(both, [line(100, 315, 'Figure 1: The left one'), line(320, 335, 'Figure 2: The right one')]), [[100, 500]], 'captions below one another');
  t.same(edges(both, captions.map((caption) => ({ ...caption, baseline: 400, box: { ...caption.box, top: 393, bottom: 401 } }))), [[100, 500]], 'captions of other pictures');
  t.end();
});

t.test('a picture knows the drawings it is made of', (t) => {
  const [both] = withProposedFigures([figure(100, 280), figure(320, 500)], opinion, [], []);
  t.same(both!.parts!.map(({ left, right }) => [left, right]), [[100, 280], [320, 500]]);
  t.end();
});
