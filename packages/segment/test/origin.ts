import { expect } from 'vitest';

/** The realm and the reigns of a segment, in tests about something else. */
export const origin: unknown = expect.any(Object);
