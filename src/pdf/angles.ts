/** Rotations in degrees. */
export const QUARTER_TURN = 90;
export const HALF_TURN = 180;
export const THREE_QUARTER_TURN = 270;
export const FULL_TURN = 360;
