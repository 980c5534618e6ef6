import { afterAll, beforeAll } from 'vitest';
import { type ClientName, switchTo } from './client-names.js';

/** Makes `name` the current client of the suite that is being defined. */
export function connectWith(name: ClientName): void {
  let before: ClientName | undefined;
  beforeAll(() => {
    before = switchTo(name);
  });
  afterAll(() => {
    if (before !== undefined) switchTo(before);
  });
}
