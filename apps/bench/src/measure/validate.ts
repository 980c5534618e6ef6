import type { Id } from '@ids/core';
import type { IdFormat } from '../cases/case.js';

/** What is wrong with one id, or `undefined`. */
function formatProblem(id: Id, { idType, text }: IdFormat): string | undefined {
  if (typeof id !== idType) return `${show(id)} is a ${typeof id}, ${idType} was promised`;
  const written = String(id);
  if (written.length > text.maxLength) {
    return `${show(id)} has ${written.length} characters, at most ${text.maxLength} were promised`;
  }
  // A global or sticky pattern continues where it stopped; every id is matched from the start.
  text.pattern.lastIndex = 0;
  if (!text.pattern.test(written)) return `${show(id)} does not match ${String(text.pattern)}`;
  return undefined;
}

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
  for (const id of ids) {
    const problem = formatProblem(id, format);
    if (problem !== undefined) throw new InvalidOutput(problem);
  }
}

/** A generator returned something else than it promised: its figures do not count. */
export class InvalidOutput extends Error {
  override readonly name = 'InvalidOutput';
}

function show(id: Id): string {
  return typeof id === 'string' ? JSON.stringify(id) : String(id);
}
