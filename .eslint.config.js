// Lint rules, and the house rule of who may import whom.
import tseslint from 'typescript-eslint';
import imports from './.lint/imports.js';
import literals from './.lint/literals.js';

/** Room -> rooms it may import. errors.ts and bitmap.ts are open to all. A room that is missing here may import nothing. */
const mayImport = {
  cli: ['program', 'settings', 'network', 'platform', 'logging', 'convert', 'models', 'workers', 'engine', 'document', 'tasks', 'client', 'mcp', 'chat'],
  program: ['settings', 'network', 'platform', 'logging', 'http', 'chat', 'convert', 'models', 'workers', 'engine', 'tasks'],
  http: ['network', 'platform', 'chat', 'convert', 'tasks', 'models', 'document', 'client', 'mcp'],
  chat: ['models', 'engine'],
  convert: ['geometry', 'platform', 'pdf', 'formats', 'chunk', 'document', 'engine', 'workers', 'tasks'],
  formats: ['platform', 'document'],
  chunk: ['document'],
  document: [],
  pdf: ['geometry'],
  geometry: [],
  tasks: ['platform'],
  workers: ['platform'],
  models: ['engine', 'platform'],
  engine: ['platform'],
  client: [],
  mcp: ['client', 'platform'],
  settings: ['network', 'platform'],
  network: ['platform'],
  logging: ['platform'],
  platform: [],
  // The page runs in browsers: it speaks to the service over HTTP alone.
  ui: [],
};
/** Where a function may hold three numeric literals at most (other than 0, 1 and 2): the rest are const tables with names and units. Directories join the list when they pass. */
const literalLimitedDirectories = [
  'src/geometry/**/*.ts', 'src/pdf/**/*.ts', 'src/formats/**/*.ts', 'src/document/**/*.ts', 'src/chunk/**/*.ts', 'src/convert/*.ts',
  ...['page', 'pipeline', 'wording', 'input', 'output', 'ocr', 'layout-network'].map((directory) => `src/convert/${directory}/**/*.ts`),
];

const rooms = Object.keys(mayImport);

/** Directories of src/convert that may not import some others: what is on a page knows nothing of the document. */
const withinConvert = Object.fromEntries(
  ['page', 'wording', 'input', 'ocr', 'formulas', 'layout', 'layout-network', 'tables', 'pipeline'].map((directory) => [directory, ['structure', 'output', 'task']]),
);

function importRule(room, files, forbiddenWithin = []) {
  const forbidden = rooms.filter((other) => other !== room && !mayImport[room].includes(other));
  const patterns = [{
    regex: `^(\\.\\./)+(${forbidden.join('|')})/`,
    message: `The room '${room}' may import only: ${mayImport[room].join(', ') || 'no other room'}.`,
  }, {
    regex: '^(\\.\\./)+(main|worker)\\.js$',
    message: 'Main scripts are started, not imported.',
  }];
  if (forbiddenWithin.length > 0) patterns.push({ regex: `^(\\.\\./)+(${forbiddenWithin.join('|')})/`, message: `${files[0]} may not import: ${forbiddenWithin.join(', ')}.` });
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } };
}

const importRules = [
  ...rooms.map((room) => importRule(room, [`src/${room}/**/*.ts`, `src/${room}/**/*.tsx`])),
  // The last rule that fits a file holds.
  ...Object.entries(withinConvert).map(([directory, forbidden]) => importRule('convert', [`src/convert/${directory}/**/*.ts`], forbidden)),
];

export default tseslint.config(
  // The scripts of test/clients/node import packages that are installed for their run alone.
  { ignores: ['dist/**', 'build/**', 'test/fixtures/**', 'test/clients/node/**'] },
  ...tseslint.configs.recommended,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: 'error',
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
    },
  },
  { files: ['test/**/*.ts', 'bench/**/*.ts'], rules: { 'max-lines-per-function': 'off', 'no-console': 'off', '@typescript-eslint/no-floating-promises': 'off' } },
  { files: ['models/training/documents/**/*.ts'], rules: { 'no-console': 'off' } },
  { files: literalLimitedDirectories, plugins: { lectern: literals }, rules: { 'lectern/literals': ['error', { most: 3 }] } },
  { files: ['src/**/*.ts', 'src/**/*.tsx'], plugins: { files: imports }, rules: { 'files/imports': ['error', { most: 15 }] } },
  ...importRules,
);
