/** Decodes base64 that comes in pieces cut anywhere. Strict: what is no base64 is refused instead of skipped. */

/** The message says why. */
export class NotBase64 extends Error {
  override readonly name = 'NotBase64';
}

/** Both alphabets; white space is passed over; padding may be missing. */
export class Base64Decoder {
  /** Characters that wait for the rest of their group of four. */
  private pending = '';
  private padded = false;

  /** Throws NotBase64. */
  push(bytes: Buffer): Buffer {
    const text = this.pending + bytes.toString('latin1');
    const length = text.length - (text.length % 4);
    const whole = length === text.length ? text : text.slice(0, length);
    const decoded = Buffer.from(whole, 'base64');
    // Node skips what it does not know, and then the result is shorter.
    if (!this.padded && decoded.length === (length / 4) * 3) {
      this.pending = text.slice(length);
      return decoded;
    }
    return this.pushWithGaps(text);
  }

  /** The last bytes. Throws NotBase64 when the text ended inside a group. */
  end(): Buffer {
    if (!/^[A-Za-z0-9+/_-]*$/.test(this.pending.replace(/[ \t\r\n]+/g, ''))) throw new NotBase64('the text holds other characters');
    if (this.pending.length === 1) throw new NotBase64('the text ends inside a group');
    return Buffer.from(this.pending, 'base64');
  }

  private pushWithGaps(text: string): Buffer {
    const dense = text.replace(/[ \t\r\n]+/g, '');
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(dense)) throw new NotBase64('the text holds other characters');
    const letters = dense.replace(/=+$/, '');
    if (this.padded && letters !== '') throw new NotBase64('the text goes on after its padding');
    this.padded ||= letters !== dense;
    const length = letters.length - (letters.length % 4);
    this.pending = letters.slice(length);
    return Buffer.from(letters.slice(0, length), 'base64');
  }
}
