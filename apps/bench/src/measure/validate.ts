import type { Id } from '@ids/core';
import type { IdFormat } from '../cases/case.js';

/** Throws an `InvalidOutput` unless `ids` are `count` different ids of the format. */
export function validate(ids: readonly Id[], count: number, format: IdFormat): void {
  if (ids.length !== count) throw new InvalidOutput(`asked for ${count} ids, got ${ids.length}`);
  assertFormat(ids, format);
  const seen = new Set<Id>();
  for (const id of ids) {
    if (seen.has(id)) throw new InvalidOutput(`${show(id)} was issued twice within ${count} ids`);
    seen.add(id);
  }
}

/** Throws an `InvalidOutput` unless every id is of the format. */
export function assertFormat(ids: readonly Id[], format: IdFormat): void {
  const { maxLength, pattern } = format.text;
  for (const id of ids) {
    assertType(id, format);
    const { length } = String(id);
    if (length > maxLength) {
      throw new InvalidOutput(`${show(id)} has ${length} characters, at most ${maxLength} were promised`);
    }
    // A global or sticky pattern continues where it stopped; every id is matched from the start.
    pattern.lastIndex = 0;
    if (!pattern.test(String(id))) throw new InvalidOutput(`${show(id)} does not match ${String(pattern)}`);
  }
}

/** Throws an `InvalidOutput` unless the id is of the type that the format has. */
export function assertType(id: Id, { idType }: IdFormat): void {
  if (typeof id !== idType) {
    throw new InvalidOutput(`${show(id)} is a ${typeof id}, ${idType} was promised`);
  }
}

/** A generator returned something else than it promised: its figures do not count. */
export class InvalidOutput extends Error {
  override readonly name = 'InvalidOutput';
}

function show(id: Id): string {
  return typeof id === 'string' ? JSON.stringify(id) : String(id);
}
