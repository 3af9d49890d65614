/** The words that a document writes without a break: they decide whether the parts of a split or doubtful word belong together. */

/** The words that occur unbroken in the document, in lower case, with their counts. */
export type Vocabulary = Map<string, number>;

const wordPattern = /[\p{L}\p{M}]+(?:[-\u2010\u2011][\p{L}\p{M}]+)*/gu;

/** Adds the words of a line, except those at its ends that may be half of a split word. */
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
