/** The benchmarks of the program: `npm run bench -- NAME …`, one file a benchmark. */

const benches: Record<string, () => Promise<{ run: (args: string[]) => Promise<number> }>> = {
  chat: () => import('./chat.js'),
  convert: () => import('./convert.js'),
  formats: () => import('./formats.js'),
  llm: () => import('./llm.js'),
  soak: () => import('./soak.js'),
};

const [name = '', ...args] = process.argv.slice(2);
const bench = benches[name];
if (bench === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join('|')} [options]`);
  process.exitCode = 2;
} else {
  process.exitCode = await (await bench()).run(args);
}
