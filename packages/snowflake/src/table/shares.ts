/*
 * Servers that follow each other begin to assign slots at different ones. The first slot of each is behind
 * that of the one before by the golden section of all slots, counted around: so any few of them are far
 * apart, with nothing stored. Two that follow each other have 38 % of the slots each before one needs those
 * of the other; with one in between, 23 %.
 */

/** The golden section, as a part of `SHARE_WHOLE`. */
export const SHARE_STEP = 618_034;
export const SHARE_WHOLE = 1_000_000;
