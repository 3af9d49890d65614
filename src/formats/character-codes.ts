/** Code points that scanners compare with: one by one, because the engine then folds them into the code of its loops. */

export const tab = 9;
export const lineFeed = 10;
export const carriageReturn = 13;
export const space = 32;
export const exclamationMark = 33;
export const doubleQuote = 34;
export const singleQuote = 39;
export const minus = 45;
export const fullStop = 46;
export const slash = 47;
export const zero = 48;
export const nine = 57;
export const lessThan = 60;
export const equalsSign = 61;
export const greaterThan = 62;
export const questionMark = 63;
export const upperA = 65;
export const upperZ = 90;
export const lowerA = 97;

/** Letters of the Latin alphabet. */
export const letterCount = 26;
/** The last code point of Unicode. */
export const lastCodePoint = 0x10ffff;
/** Halves of pairs in UTF-16, which are no characters. */
export const firstSurrogate = 0xd800;
export const lastSurrogate = 0xdfff;
