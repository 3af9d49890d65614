/** Names as a header's value. */

const longestHeader = 1000;

/** Percent-encoded and separated by commas: whatever a client wrote, and never more than a header may hold. */
export function namesHeader(names: string[]): string {
  let header = '';
  for (const name of names) {
    const safe = encodeURIComponent(Buffer.from(name.slice(0, 100)).toString());
    if (header.length + safe.length + 2 > longestHeader) return `${header}, ...`;
    header += header === '' ? safe : `, ${safe}`;
  }
  return header;
}
