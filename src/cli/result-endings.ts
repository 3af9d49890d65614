/** The results that `lectern convert` writes, and the endings of their files. */
export const resultEndings = { md: '.md', json: '.json', html: '.html', text: '.txt', doctags: '.doctags', latex: '.tex' } as const;
export type ResultFormat = keyof typeof resultEndings;
