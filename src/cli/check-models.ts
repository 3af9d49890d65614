/** `lectern models check [NAME or FILE]`: whether all models, or one, are whole and run here; of one also what its file is and needs. */
import { placeOf } from '../program/model-memory.js';
import { type Checked, checkModel, describeFile } from './check-model.js';
import { exitCodes } from './exit-codes.js';
import { findInstalledOrFile, visionFromElsewhere, type InstalledModels } from './installed-models.js';
import { printJson, printLines } from './lines-and-tables.js';
import { checkOwnNetworks, isOwnNetwork } from './own-networks.js';
import { checkVision } from './vision-models.js';

/** Exit code 1 when one is not whole or does not run; refused files are such. */
export async function checkModels(models: InstalledModels, name: string | undefined, json: boolean): Promise<number> {
  const all: Checked[] = [];
  const { catalogue, vision, engine, settings } = models;
  const place = placeOf(settings, engine.devices(settings.device));
  const refused = name === undefined ? [...await catalogue.refused(), ...await vision.refused()] : [];
  let failed = refused.length;
  const report = (checked: Checked): void => {
    if (!checked.ok) failed++;
    all.push(checked);
    if (!json) printLines([`${checked.ok ? 'ok    ' : 'FAILED'}  ${checked.name}: ${checked.findings}`, ...(checked.details ?? []).map((line) => `        ${line}`)]);
  };
  if (name === undefined) {
    for (const entry of await catalogue.list()) report(await checkModel(entry, engine, place));
    for (const seeing of await visionFromElsewhere(vision)) report(await checkVision(seeing, engine, place));
    for (const own of await checkOwnNetworks(engine)) report(own);
  } else if (isOwnNetwork(name)) {
    for (const own of await checkOwnNetworks(engine, name)) report(own);
  } else {
    const { entry, seeing } = await findInstalledOrFile(models, name);
    if (entry === undefined) report(await checkVision(seeing, engine, place));
    else {
      const checked = await checkModel(entry, engine, place);
      report(checked.ok ? { ...checked, details: await describeFile(entry, engine, place) } : checked);
    }
  }
  if (json) printJson([...all, ...refused.map((one) => ({ name: one.name, ok: false, findings: one.reason }))]);
  else printLines(refused.map((one) => `FAILED  ${one.name}: ${one.reason}`));
  return failed === 0 ? exitCodes.ok : exitCodes.findings;
}
