/** The commands of the program: the one table behind parsing, help, completion and manual. Each is loaded when it runs. */
import { exitCodes } from './exit-codes.js';
import type { CommandDeclaration, OptionDeclaration } from './command.js';
import { resultEndings } from './result-endings.js';

const json: OptionDeclaration = { flags: '--json', help: 'print JSON for programs' };
const url: OptionDeclaration = { flags: '--url <service>', help: 'the service, as http://host:11434; without it LECTERN_URL, or this machine' };
const list: OptionDeclaration = { flags: '--list <file>', help: 'the access list; without it the one that the settings name' };

const convert: CommandDeclaration = {
  name: 'convert',
  help: 'convert documents to markdown, JSON, HTML or text',
  words: [{ syntax: '<source...>', help: 'files, directories, quoted patterns (\'*.pdf\'), http(s) addresses, or - for standard input' }],
  options: [
    { flags: '-t, --to <formats>', help: `results, divided by commas: ${Object.keys(resultEndings).join(', ')}`, default: 'md', repeats: true },
    { flags: '-o, --output <directory>', help: 'where results go; without it the one result goes to standard output' },
    { flags: '--resume', help: 'leave out documents whose results in --output are newer than they are' },
    { flags: '--overwrite', help: 'replace files that lie beside the documents' },
    { flags: '--json', help: 'print one line of JSON for each document, and a summary (needs --output)' },
    { flags: '--name <name>', help: 'what standard input is called, as notes.tex, where its bytes do not tell its format' },
    { flags: '--url <service>', help: 'let a running service convert' },
    { flags: '--pages <range>', help: 'pages, as 3, 3-7 or 3-' },
    { flags: '--password <word>', help: 'opens encrypted PDFs' },
    { flags: '--images <mode>', help: 'what becomes of pictures', choices: ['placeholder', 'embedded', 'referenced'], default: 'placeholder' },
    { flags: '--keep-furniture', help: 'keep running headers and footers' },
    { flags: '--keep-notes', help: 'keep speaker notes of presentations' },
    { flags: '--keep-html', help: 'keep HTML in the text of documents as it is in markdown' },
    { flags: '--ocr-lang <codes>', help: 'languages of scans, divided by commas, as de,en', repeats: true },
    { flags: '--ocr-preset <name>', help: 'what reads text on scans: auto, tesseract, or a vision model of `lectern models`', default: 'auto' },
  ],
  settings: 'accepted',
  examples: [
    ['lectern convert report.pdf', 'markdown on standard output'],
    ['lectern convert --to md,json -o out reports/', 'every document below a directory'],
    ['lectern convert -o out --resume \'scans/*.pdf\'', 'go on where the last run stopped'],
    ['lectern convert https://example.org/paper.pdf', 'a document from the web'],
    ['curl -s https://example.org/x | lectern convert --name x.docx -', 'a document from a pipe'],
  ],
  exits: [[exitCodes.ok, 'every document is whole'], [exitCodes.findings, 'parts of a document are missing'], [exitCodes.dataError, 'a document failed']],
  load: async () => (await import('./convert-command.js')).convert,
};

const models: CommandDeclaration = {
  name: 'models',
  help: 'list, check, add and remove models',
  usualCommand: 'list',
  commands: [
    {
      name: 'list', help: 'list the models and the files that are left out', options: [json], settings: 'accepted',
      load: async () => (await import('./models-command.js')).listCommand,
    }, {
      name: 'show', help: 'show one model at length', words: [{ syntax: '<name>', help: 'a name of `lectern models list`' }], options: [json], settings: 'accepted',
      load: async () => (await import('./models-command.js')).showCommand,
    }, {
      name: 'check', help: 'check that models are whole and run here', words: [{ syntax: '[name]', help: 'one model, or a GGUF file, with its memory at several contexts; without it all' }], options: [json], settings: 'accepted',
      exits: [[exitCodes.findings, 'a model is not whole or does not run']],
      load: async () => (await import('./models-command.js')).checkCommand,
    }, {
      name: 'pull', help: 'fetch a model from Ollama\'s registry', words: [{ syntax: '<name>', help: 'as qwen2.5:72b' }],
      options: [{ flags: '--into <directory>', help: 'a model directory' }, { flags: '--insecure', help: 'http instead of https, for a registry of the own network' }], settings: 'accepted',
      load: async () => (await import('./models-command.js')).pullCommand,
    }, {
      name: 'add', help: 'add a model from a file, a directory or an address', words: [{ syntax: '<source>', help: 'a GGUF file, a directory of a model, or an http(s) address of a GGUF file' }],
      options: [
        { flags: '--name <name>', help: 'what it is called; without it the file\'s name' }, { flags: '--into <directory>', help: 'a model directory' },
        { flags: '--link', help: 'hard links instead of copies, on the same file system' }, { flags: '--sha256 <digest>', help: 'refuse other bytes' },
      ],
      settings: 'accepted',
      examples: [['lectern models add ~/Downloads/model.gguf', 'copy a file'], ['lectern models add --link /data/model.gguf --name biomed-7b', 'no second copy']],
      load: async () => (await import('./models-command.js')).addCommand,
    }, {
      name: 'import-ollama', help: 'add the models of an Ollama store', words: [{ syntax: '[name...]', help: 'those models; without it all' }],
      options: [{ flags: '--from <store>', help: 'the directory that holds manifests and blobs' }, { flags: '--into <directory>', help: 'a model directory' }, { flags: '--link', help: 'hard links instead of copies' }],
      settings: 'accepted',
      load: async () => (await import('./models-command.js')).importCommand,
    }, {
      name: 'rm', help: 'remove a model of a directory of Lectern', words: [{ syntax: '<name>', help: 'a name of `lectern models list`' }],
      options: [{ flags: '-y, --yes', help: 'do not ask' }], settings: 'accepted',
      load: async () => (await import('./models-command.js')).removeCommand,
    },
  ],
};

const keys: CommandDeclaration = {
  name: 'keys',
  help: 'make, list and remove keys of the access list',
  usualCommand: 'list',
  commands: [
    { name: 'list', help: 'list keys with their roles', options: [list, json], settings: 'accepted', load: async () => (await import('./keys-command.js')).listKeys },
    {
      name: 'add', help: 'make a key, show it once, and add its line to the list', words: [{ syntax: '<name>', help: 'of letters, digits and . @ - _' }, { syntax: '<role>', help: 'administrator, researcher, student, or a role of the list' }],
      options: [list, { flags: '--print', help: 'print the line instead of adding it, for >> access' }, json], settings: 'accepted',
      examples: [['lectern keys add anna researcher', 'the list that the settings name'], ['lectern keys add anna researcher --print >> access', 'by hand']],
      load: async () => (await import('./keys-command.js')).addKey,
    },
    { name: 'rm', help: 'remove the keys of a name', words: [{ syntax: '<name>', help: 'of `lectern keys list`' }], options: [list], settings: 'accepted', load: async () => (await import('./keys-command.js')).removeKeys },
  ],
};

const access: CommandDeclaration = {
  name: 'access',
  help: 'ask the access list who may enter',
  commands: [{
    name: 'test', help: 'say whether an address, or a key, may enter, and as what', words: [{ syntax: '<address>', help: 'an IP address' }],
    options: [list, { flags: '--key <key>', help: 'the key that the caller sends; - reads it from standard input' }, json], settings: 'accepted',
    exits: [[exitCodes.ok, 'it may enter'], [exitCodes.findings, 'it may not']],
    examples: [['lectern access test 10.1.2.3', 'by its address'], ['lectern access test 10.1.2.3 --key -', 'with a key']],
    load: async () => (await import('./access-command.js')).testAccess,
  }],
};

export const commands: readonly CommandDeclaration[] = [
  {
    name: 'serve', help: 'serve documents and language models over HTTP', settings: 'listed',
    examples: [['lectern serve', 'on http://127.0.0.1:11434'], ['lectern serve --models /srv/models --listen 0.0.0.0:11434 --access-list access', 'for a network']],
    load: async () => (await import('./serve-command.js')).serve,
  },
  convert,
  {
    name: 'chat', help: 'chat with a model of a running service', words: [{ syntax: '[model]', help: 'without it the first that can chat' }],
    options: [url, { flags: '--system <text>', help: 'instructions before the conversation' }, { flags: '--temperature <number>', help: '0 is the likeliest text' }, { flags: '--seed <number>', help: 'the same seed gives the same text' }, json],
    examples: [['lectern chat', 'a conversation; /help lists its commands'], ['echo "Why is the sky blue?" | lectern chat llama3.3:70b', 'one question and its answer']],
    load: async () => (await import('./chat-command.js')).chat,
  },
  models,
  keys,
  access,
  {
    name: 'doctor', help: 'check this machine, and print what to do about what is wrong', options: [json], settings: 'accepted',
    exits: [[exitCodes.ok, 'the service can do its work'], [exitCodes.findings, 'it cannot']],
    load: async () => (await import('./doctor-command.js')).doctor,
  },
  {
    name: 'settings', help: 'print every setting with its value and where it came from', options: [json, { flags: '--markdown', help: 'print the table of docs/settings.md' }], settings: 'accepted',
    load: async () => (await import('./settings-command.js')).settings,
  },
  {
    name: 'bench', help: 'measure how fast a running service is', words: [{ syntax: '[file...]', help: 'documents that it converts' }],
    options: [
      url, { flags: '--model <name>', help: 'the model that answers' }, { flags: '--rounds <count>', help: 'how often each is measured', default: '5' },
      { flags: '--lines <file>', help: 'write what --against reads' }, { flags: '--against <file>', help: 'compare with an earlier run' }, { flags: '--loss <share>', help: 'what may be lost against it, as 10%' },
    ],
    exits: [[exitCodes.findings, 'more was lost than --loss']],
    load: async () => (await import('./bench-command.js')).benchCommand,
  },
  {
    name: 'pages', help: 'show what the relation network decides for the pages of a PDF', words: [{ syntax: '<file>', help: 'a PDF' }],
    options: [
      { flags: '-o, --output <file>', help: 'where the HTML goes; without it to standard output' }, { flags: '--network <file>', help: 'the network, as ONNX; without it the one that ships with the program' },
      { flags: '--pages <range>', help: 'pages, as 3, 3-7 or 3-' }, { flags: '--password <word>', help: 'opens encrypted PDFs' },
    ],
    examples: [['lectern pages -o report.html report.pdf', 'boxes by class, rows and columns, reading order and confidence']],
    load: async () => (await import('./pages-command.js')).pagesCommand,
  },
  {
    name: 'mcp', help: 'offer the service at LECTERN_URL as MCP tools over standard input and output',
    load: async () => (await import('./mcp-command.js')).mcp,
  },
  {
    name: 'completion', help: 'print the completion script of a shell', words: [{ syntax: '<shell>', help: 'bash, zsh or fish' }],
    examples: [['lectern completion bash > ~/.local/share/bash-completion/completions/lectern', 'for bash'], ['lectern completion fish > ~/.config/fish/completions/lectern.fish', 'for fish']],
    load: async () => (await import('./completion.js')).completionOf(commands),
  },
];
