/** `lectern doctor`: checks what the service needs on this machine, and reports what to do about each thing that is wrong. */
import { resolveSettings } from '../settings/settings.js';
import { packageVersion } from '../platform/package-files.js';
import { examineEntry } from './examine-entry.js';
import { examineConfinement, examineConversion, examineDevices, examineMemory, examineOpenFiles, examineProgram } from './examine-machine.js';
import { examineModelMemory } from './examine-model-memory.js';
import { examineModels, examinePort, examineState, type Finding } from './examine-directories.js';
import { isOn, type Command } from './command.js';
import { exitCodes } from './exit-codes.js';
import { printJson } from './lines-and-tables.js';

const marks: Record<Finding['state'], string> = { good: 'ok  ', note: 'note', bad: 'BAD ' };

/** Exits 1 when something is bad: the service would not start, or not do its work. */
export const doctor: Command = async (input) => {
  const { environment } = input;
  const { values: settings, origins, file } = resolveSettings(input.settings, environment);
  const json = isOn(input, 'json');
  if (!json) process.stdout.write(`Lectern ${packageVersion()}, Node ${process.versions.node}, settings file ${file ?? '(none)'}\n`);
  const findings: Finding[] = [
    ...await examineProgram(),
    ...await examineConversion(environment),
    ...examineConfinement(settings),
    ...examineDevices(settings),
    ...examineMemory(settings),
    examineOpenFiles(settings),
    ...await examineModelMemory(settings),
    ...await examineState(settings),
    ...await examineModels(settings, origins.models !== 'default'),
    ...examineEntry(settings),
  ];
  for (const address of settings.listen) findings.push(await examinePort(address));
  if (json) printJson({ version: packageVersion(), node: process.versions.node, file, findings });
  else for (const { state, what, advice } of findings) {
    process.stdout.write(`${marks[state]}  ${what}\n${advice === undefined ? '' : `      -> ${advice}\n`}`);
  }
  return findings.some(({ state }) => state === 'bad') ? exitCodes.findings : exitCodes.ok;
};
