/**
 * Why a page is recognised from its picture: `scan` if it consists of pictures, `stamped` if a little text stands on a picture of a
 * page, `outlines` if its letters are drawn as paths, `garbled` if the file lacks the characters of its glyphs, `suspect` if they form no words, `forced` if the request requires it.
 */
export type RecognitionReason = 'scan' | 'stamped' | 'outlines' | 'garbled' | 'suspect' | 'forced';
