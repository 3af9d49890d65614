// When a disk has room for uploads, for tasks that were accepted, and for neither.
import t from 'tap';
import { diskRoom, roomIn } from '../../src/platform/disk-space.js';

const mebibyte = 2 ** 20;

t.test('marks', async (t) => {
  const of = (size: number, free: number, files = 0, ffree = 0): string => roomIn({ blocks: size / 512, bavail: free / 512, bsize: 512, files, ffree }).state;
  const large = 2 ** 40;
  t.strictSame([mebibyte - 512, mebibyte, 64 * mebibyte - 512, 64 * mebibyte].map((free) => of(large, free)), ['full', 'low', 'low', 'roomy']);
  t.strictSame([mebibyte, 2 * mebibyte].map((free) => of(24 * mebibyte, free)), ['low', 'roomy'], 'a small disk keeps a share');
  t.equal(of(200 * mebibyte, 10 * mebibyte), 'roomy');
  t.strictSame([0, 1, 1023, 1024].map((nodes) => of(large, large / 2, 1e6, nodes)), ['full', 'low', 'low', 'roomy'], 'files are counted, too');
  t.strictSame([49, 50].map((nodes) => of(large, large / 2, 1000, nodes)), ['low', 'roomy']);
  t.equal(roomIn({ blocks: 100, bavail: 1, bsize: 4096, files: 0, ffree: 0 }).lackingBytes, mebibyte - 4096);
  t.equal(of(0, 0), 'roomy', 'a file system that counts nothing');
  t.match(diskRoom('/nowhere'), { state: 'roomy' });
});
