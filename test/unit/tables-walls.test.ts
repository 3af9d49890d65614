/** What no table reaches across. */
import t from 'tap';
import type { Chunk } from '../../src/convert/tables/evidence/chunks.js';
import { makeChunks } from '../../src/convert/tables/evidence/chunks.js';
import { markWalls } from '../../src/convert/tables/evidence/walls.js';
import { findTables } from '../../src/convert/tables/find.js';
import { PageMaker } from '../support/made-page.js';

const ground = (left: number, right: number, top: number): { box: { left: number; right: number; top: number; bottom: number }; fill: number; stroke: number } => ({ box: { left, right, top, bottom: top + 16 }, fill: 0xdddddd, stroke: -1 });
const columns = [ground(40, 280, 100), ground(40, 280, 200), ground(300, 540, 130), ground(300, 540, 260)];

function chunksOf(made: PageMaker): Chunk[] {
  return makeChunks(made.words.map((word) => ({ word, left: word.box.left, right: word.box.right, baseline: word.baseline, size: word.size })), []);
}

t.test('grounds of headings in two columns part the columns', (t) => {
  t.same(markWalls({ boxes: columns, width: 595 }, []), [{ left: 280, right: 300, top: 100, bottom: 276 }]);
  t.same(markWalls({ boxes: columns.slice(0, 3), width: 595 }, []), [], 'once in one of them');
  t.same(markWalls({ boxes: columns.map((each) => ({ ...each, box: { ...each.box, top: 100, bottom: 116 } })), width: 595 }, []), [], 'on one height');
  const zebra = [100, 132, 164].flatMap((top) => [ground(40, 280, top), ground(300, 545, top)]);
  t.same(markWalls({ boxes: zebra, width: 595 }, []), [], 'cells of a table, row by row');
  const near = [...columns, ground(300, 540, 99), ground(300, 540, 201.5)];
  t.same(markWalls({ boxes: near, width: 595 }, []), [{ left: 280, right: 300, top: 99, bottom: 276 }], 'nearly on one height, by chance');
  const across = new PageMaker();
  across.text(200, 150, 'text that is set over both of the columns');
  t.same(markWalls({ boxes: columns, width: 595 }, chunksOf(across)), [], 'text across');
  t.end();
});

t.test('short lines of two columns under such headings are no rows', (t) => {
  const made = new PageMaker();
  made.boxes.push(...columns);
  for (const [at, name] of ['Aachen', 'Bremen', 'Cottbus', 'Dresden', 'Essen'].entries()) made.row(160 + 12 * at, [44, 304, 420, 500], [`Mild form ${at}`, name, `${37 * at + 8}`, `${at}.5`]);
  const lefts = (): number[] => findTables(made.page(), { doTableStructure: true }).map(({ box }) => Math.round(box.left));
  t.same(lefts(), [304]);
  made.boxes.length = 0;
  t.same(lefts(), [44], 'without them they may be');
  t.end();
});

t.test('lines of Chinese are running text, though they have few spaces: no table reaches over their column', (t) => {
  const made = new PageMaker();
  const sentences = '肺癌是全球死亡率最高的恶性肿瘤之一低剂量筛查可以使肺癌死亡率降低以上但是人工阅片工作量大容易漏诊近年来深度学习在医学图像分析领域取得了显著进展许多研究者将其应用于肺结节的检测与分类'.repeat(5);
  for (let at = 0; at < 12; at++) made.text(50, 108 + 16 * at, sentences.slice(33 * at, 33 * at + 33));
  for (const [at, name] of ['方法', '网络', '本文', '其他', '所有'].entries()) made.row(154 + 18 * at, [310, 400, 480], [name, `${37 * at + 8}`, `${at}.5`]);
  t.same(findTables(made.page(), { doTableStructure: true }).map(({ box }) => Math.round(box.left)), [310]);
  t.end();
});
