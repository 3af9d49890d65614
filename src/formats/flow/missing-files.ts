/** Losses of texts that are spread over several files, of which one was given. */

const mostNamed = 20;

/** One sentence for each file that a text includes: they are never searched for. */
export function missingFiles(names: Iterable<string>): string[] {
  const distinct = [...new Set([...names].map((name) => name.trim()).filter((name) => name !== ''))];
  return distinct.slice(0, mostNamed).map((name) => `The file ${name.slice(0, 200)} that the text includes is not part of it.`);
}
