/**
 * Why a page is recognised from its picture: `scan` where pictures are all it has, `stamped` where a little text stands on a picture of a
 * page, `garbled` where the file does not give the characters of its glyphs, `suspect` where they make no words, `forced` where the request wants it.
 */
export type RecognitionReason = 'scan' | 'stamped' | 'garbled' | 'suspect' | 'forced';
