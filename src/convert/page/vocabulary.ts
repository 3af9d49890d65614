/** The words a document writes whole: what decides where a parted or doubtful word belongs together. */

/** The words that stand whole somewhere in the document, in lower case, with how often. */
export type Vocabulary = Map<string, number>;

const wordPattern = /[\p{L}\p{M}]+(?:[-\u2010\u2011][\p{L}\p{M}]+)*/gu;

/** Adds the words of a line, but not those at its edges that may be half of a parted word. */
export function learnWords(vocabulary: Vocabulary, text: string): void {
  const endsParted = /[-\u00ad\u2010]$/.test(text);
  const words = [...text.matchAll(wordPattern)];
  for (const [index, match] of words.entries()) {
    if (endsParted && index === words.length - 1) continue;
    if (index === 0) continue;
    const word = match[0].toLowerCase();
    vocabulary.set(word, (vocabulary.get(word) ?? 0) + 1);
  }
}
