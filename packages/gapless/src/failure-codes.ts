/**
 * The codes in an error of a database, however deep a library has wrapped it: SQLSTATEs of Postgres, numbers
 * of MySQL as text.
 */
function codesOf(error: unknown): ReadonlySet<string> {
  const codes = new Set<string>();
  const seen = new Set<unknown>();
  const queue: unknown[] = [error];
  for (const one of queue) {
    if (typeof one !== 'object' || one === null || seen.has(one)) continue;
    seen.add(one);
    const members = one as Record<string, unknown>;
    for (const name of ['code', 'errno', 'originalCode']) {
      const code = members[name];
      if (typeof code === 'string' || typeof code === 'number') codes.add(String(code));
    }
    // Of Drizzle and others; of TypeORM; of Prisma.
    queue.push(members.cause, members.driverError, members.meta, members.driverAdapterError);
  }
  return codes;
}

/** Whether one of `wanted` is among the codes of an error. */
export function hasCode(error: unknown, ...wanted: readonly string[]): boolean {
  const codes = codesOf(error);
  return wanted.some((code) => codes.has(code));
}
