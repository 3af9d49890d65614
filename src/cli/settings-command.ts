/** `lectern settings`: the table of settings, with the values in force and where each came from; `--markdown` is the README's. */
import { environmentName, flagName, resolveSettings, type SettingName, settingsTable } from '../settings/settings.js';
import { doclingVariables } from '../settings/docling-variables.js';
import { isOn, type Command } from './command.js';
import { printJson } from './lines-and-tables.js';

export const settings: Command = async (input) => {
  const { origins, texts, file } = resolveSettings(input.settings, input.environment);
  if (isOn(input, 'markdown')) {
    process.stdout.write(`${settingsAsMarkdown()}\n\n${doclingVariablesAsMarkdown()}\n`);
    return 0;
  }
  if (isOn(input, 'json')) {
    const rows = (Object.keys(settingsTable) as SettingName[]).map((name) => ({ name, flag: flagName(name), environment: environmentName(name), value: texts[name], origin: origins[name], help: settingsTable[name].help }));
    printJson({ file, settings: rows });
    return 0;
  }
  const lines: string[] = [];
  for (const [name, { help }] of Object.entries(settingsTable) as [SettingName, { help: string }][]) {
    const value = texts[name] === '' ? '(none)' : texts[name];
    lines.push(`${environmentName(name)}  ${flagName(name)}`, `    ${help}`, `    ${value}  (${origins[name]})`);
  }
  const place = file === null ? 'No settings file was read.' : `Settings file: ${file}`;
  process.stdout.write([place, 'A flag beats the environment, the environment beats the file.', '', ...lines].join('\n') + '\n');
  return 0;
};

/** Flags with their defaults, as they are without environment and file. */
export function settingsAsMarkdown(): string {
  const rows = (Object.entries(settingsTable) as [SettingName, { help: string; usual?: string; fallback: (environment: object) => string }][]).map(([name, { help, usual, fallback }]) => {
    const usually = usual ?? fallback({});
    return `| \`${flagName(name)}\` | ${usual ?? (usually === '' ? '' : `\`${usually}\``)} | ${help.replaceAll('|', '\\|')} |`;
  });
  return ['| flag | default | |', '|---|---|---|', ...rows].join('\n');
}

/** Variables of docling-serve that are read, with the flags of their settings. */
export function doclingVariablesAsMarkdown(): string {
  const rows = Object.entries(doclingVariables).map(([name, { setting, note }]) => `| \`DOCLING_SERVE_${name}\` | \`${flagName(setting)}\` | ${note} |`);
  return ['| variable | flag | value |', '|---|---|---|', ...rows].join('\n');
}
