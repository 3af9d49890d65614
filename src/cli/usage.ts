/** The arguments of each command, as `lectern help COMMAND` and `lectern COMMAND --help` print them. */

export const convertUsage = 'usage: lectern convert FILE...|- [--name NAME] [--to md,json,html,text,doctags] [-o DIRECTORY] [--url SERVICE] [--pages FIRST-LAST] [--password WORD] [--images placeholder|embedded|referenced] [--keep-furniture] [--keep-notes] [--ocr-lang CODE,...] [--ocr-preset auto|tesseract|MODEL]\n'
  + '-: standard input; NAME: what it is called, as notes.tex, where its bytes do not tell its format\n'
  + 'MODEL: a vision model that reads text, as `lectern models` lists it (with --url: of the service)\n'
  + 'exit codes: 0 all is there, 1 a document failed, 2 wrong words, 3 parts of a document are missing';

export const modelsUsage = 'usage: lectern models [list] | show NAME | check [NAME] | pull NAME [--into DIRECTORY] [--insecure]';

export const chatUsage = 'usage: lectern chat [MODEL] [--url SERVICE] [--system TEXT] [--temperature NUMBER] [--seed NUMBER]';

export const benchUsage = 'usage: lectern bench [FILE...] [--url SERVICE] [--model NAME] [--rounds N] [--lines OUT] [--against BASELINE [--loss 10%]]\n'
  + '--lines writes what --against reads; exit codes: 0, or 1 where more was lost than --loss';

export const keyUsage = 'usage: lectern key NAME ROLE (words of letters, digits and . @ - _)\nIts line for the access list goes to standard output, the key itself to the terminal: lectern key anna researcher >> access';

const withSettings = 'Any setting may be a flag: `lectern settings` shows them. A switch is on by its name, off by --no-NAME.';

export const usages: Record<string, string> = {
  serve: `usage: lectern serve [SETTINGS]\n${withSettings}`,
  convert: `${convertUsage}\n${withSettings}`,
  models: `${modelsUsage}\n${withSettings}`,
  chat: chatUsage,
  bench: benchUsage,
  doctor: `usage: lectern doctor [SETTINGS]\nexit codes: 0 the service can do its work, 1 it cannot\n${withSettings}`,
  settings: 'usage: lectern settings [SETTINGS] [--markdown]',
  mcp: 'usage: lectern mcp\nLECTERN_URL names the service.',
  key: keyUsage,
};
