/** Words by which the service has a sandbox process refuse itself system calls; a module of its own, because the process loads no more than it needs. */

export const restrictedWord = 'restricted';
/** Programs may start: a loader of TypeScript starts a compiler. */
export const restrictedWithProgramsWord = 'restricted-with-programs';
