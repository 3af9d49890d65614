/** Files that hold mail in a wrapping of their own: mailboxes (mbox), and the mail of Apple's program (emlx). */

/** The line before each message of a mailbox (RFC 4155), with the time in it. */
const separator = /(?:^|\r?\n\r?\n)From [^\r\n]{1,300}\d\d:\d\d[^\r\n]{0,100}\r?\n/g;

/** The messages of a file: several of a mailbox, one of anything else. `>From` at the beginning of a line is `From` again. */
export function splitMailbox(bytes: Uint8Array): Uint8Array[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // An emlx begins with the number of bytes of its message; a property list follows.
  const count = /^(\d{1,12})[ \t]*\r?\n/.exec(buffer.toString('latin1', 0, 32));
  if (count !== null) return [buffer.subarray(count[0].length, count[0].length + Number(count[1]))];
  if (buffer.toString('latin1', 0, 5) !== 'From ') return [bytes];
  const text = buffer.toString('latin1');
  const marks = [...text.matchAll(separator)];
  if (marks[0]?.index !== 0) return [bytes];
  return marks.map((mark, index) => Buffer.from(text.slice(mark.index + mark[0].length, marks[index + 1]?.index).replace(/^>(>*From )/gm, '$1'), 'latin1'));
}
