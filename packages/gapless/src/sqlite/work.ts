import type { Row } from '@ids/store';
import { literal } from '@ids/store/sqlite';

/** A statement with anonymous parameters; without values, one that returns no rows and runs on its own. */
export interface Step {
  readonly text: string;
  readonly values?: readonly (string | number)[];
}

/** Statements one after another, for drivers that answer at once and for those that answer later. */
export type Work<T> = Generator<Step, T, readonly Row[]>;

export function doNow<T>(work: Work<T>, run: (step: Step) => readonly Row[]): T {
  let at = work.next();
  while (at.done !== true) {
    let rows: readonly Row[];
    try {
      rows = run(at.value);
    } catch (error) {
      at = work.throw(error);
      continue;
    }
    at = work.next(rows);
  }
  return at.value;
}

export async function doLater<T>(work: Work<T>, run: (step: Step) => Promise<readonly Row[]>): Promise<T> {
  let at = work.next();
  while (at.done !== true) {
    let rows: readonly Row[];
    try {
      rows = await run(at.value);
    } catch (error) {
      at = work.throw(error);
      continue;
    }
    at = work.next(rows);
  }
  return at.value;
}

/** The statement with its values in it. */
export function inlined({ text, values = [] }: Step): string {
  const left = [...values];
  return text.replaceAll('?', () => {
    const value = left.shift();
    return typeof value === 'number' ? String(value) : textOf(value ?? '');
  });
}

/** A text in SQL, in which no library finds a parameter. */
export function textOf(text: string): string {
  return /^[\w.:/-]*$/.test(text) ? literal(text) : `CAST(X'${hexOf(text)}' AS TEXT)`;
}

/** The bytes of a key as the table has them, as `@ids/keyed` does: drivers differ in BLOBs and in NULs. */
export function hexOf(key: string): string {
  return Buffer.from(key).toString('hex');
}
