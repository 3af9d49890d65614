/** Units of length of the office formats. */

/** English metric units (EMU) of one point: 914,400 of an inch. */
export const emuPerPoint = 12_700;
