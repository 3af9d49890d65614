/** `lectern access test`: what the access list says to an address, with or without a key. */
import { text as readAll } from 'node:stream/consumers';
import { isLoopback, parseNetworkAddress } from '../network/address.js';
import { LecternError } from '../errors.js';
import { resolveSettings } from '../settings/settings.js';
import { accessFileOf, readAccessFile } from './access-file.js';
import { isOn, textOption, type Command } from './command.js';
import { exitCodes } from './exit-codes.js';
import { printJson, printLines } from './lines-and-tables.js';

/** Exits 1 where the caller would be refused. */
export const testAccess: Command = async (input) => {
  const [text = ''] = input.words;
  const address = parseNetworkAddress(text);
  if (address === undefined) throw new LecternError('invalid_request', `"${text}" is no IP address.`);
  const { values: settings } = resolveSettings(input.settings, input.environment);
  const path = accessFileOf(input);
  const { list } = readAccessFile(path);
  const given = textOption(input, 'key');
  const key = given === '-' ? (await readAll(process.stdin)).trim() : given;
  const { holder, role, enters } = list.judge({ address, key: key ?? '', isOfThisHost: isLoopback(address) }, settings.allowedRoles);
  const caller = holder === undefined ? text : `${holder.name}, by a key,`;
  const why = role === undefined ? 'no line of the list holds the address' : `the role is ${role}, and ${settings.allowedRoles.join(', ')} may enter`;
  const unknown = key !== undefined && holder === undefined ? ' The key is not in the list.' : '';
  if (isOn(input, 'json')) printJson({ address: text, enters, role: role ?? null, key: holder?.name ?? null, list: path });
  else printLines([`${enters ? `${caller} may enter as ${role}` : `${caller} may not enter: ${why}`}.${unknown}`]);
  return enters ? exitCodes.ok : exitCodes.findings;
};
