/** Alternative texts of pictures, without those that programs fill in: file names, and names of shapes. */

const fileName = /^(?:[a-z]:)?[^\s]*\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)$/i;
const shapeName = /^(?:picture|image|graphic|grafik|bild|imagen|image|afbeelding|рисунок|圖片|图片|図) ?\d*$/i;

/** The first text that says something; undefined where none does. */
export function alternativeText(...candidates: (string | undefined)[]): string | undefined {
  return candidates.map((text) => text?.replace(/\s+/g, ' ').trim() ?? '').find((text) => text !== '' && !fileName.test(text) && !shapeName.test(text));
}
