/**
 * Preloaded (`node --import ./dist/test/support/emulated-device.js dist/src/main.js serve`), it gives the program the addon whose one CUDA
 * device is the emulation of native/cuda/emulation: the whole service as it runs on a GPU, where there is none. SIGUSR2 loses the device. The build's target
 * lectern_addon_emulated makes it.
 */
import { join, sep } from 'node:path';

const addon = join('build', 'native', 'lectern.node');
const open = process.dlopen.bind(process);
process.dlopen = (module: object, path: string, flags?: number): void => {
  const chosen = path.endsWith(sep + addon) ? join(path, '..', 'emulated', 'lectern.node') : path;
  if (flags === undefined) open(module, chosen);
  else open(module, chosen, flags);
};
