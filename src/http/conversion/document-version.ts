/** The version of DoclingDocument that a client can read, from the header by which clients of docling name it. */
import type { FastifyRequest } from 'fastify';
import { currentMinor, oldestMinor } from '../../document/json-version.js';
import { HttpFailure } from '../error-reply.js';

const header = 'accept-docling-document-version';
const longestShown = 100;

/** The N of 1.N.0; null where today's is readable or no version is named. Throws 422 for what is no version or too old. */
export function askedDocumentVersion({ headers }: Pick<FastifyRequest, 'headers'>): number | null {
  const given = [headers[header]].flat()[0]?.trim();
  if (given === undefined || given === '') return null;
  const shown = given.slice(0, longestShown);
  const [, major, minor] = /^(\d{1,9})\.(\d{1,9})\.\d{1,9}$/.exec(given) ?? [];
  if (major === undefined) throw new HttpFailure(422, `unparseable Accept-Docling-Document-Version '${shown}'`);
  if (Number(major) < 1 || (Number(major) === 1 && Number(minor) < oldestMinor)) {
    throw new HttpFailure(422, `unsupported Accept-Docling-Document-Version '${shown}'; oldest supported is 1.${oldestMinor}.0`);
  }
  return Number(major) > 1 || Number(minor) >= currentMinor ? null : Number(minor);
}
