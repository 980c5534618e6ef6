/**
 * What of `expected` is not in `actual`, one line each. Further members of objects do not matter; lists have
 * the same length. Texts in angle brackets stand for values: `<any>`, `<none>` (there must be no such
 * member), `<above N>`, a string of digits that is above N, and `<from N to M>`, a number.
 */
export function differences(expected: unknown, actual: unknown, path = ''): string[] {
  const differs = (): string[] => [
    `${path || 'the value'} must be ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`,
  ];
  if (expected === '<any>') return actual === undefined ? differs() : [];
  if (expected === '<none>') return actual === undefined ? [] : differs();
  const [, bound] = /^<above (\d+)>$/.exec(String(expected)) ?? [];
  if (bound !== undefined) return isAbove(actual, BigInt(bound)) ? [] : differs();
  const [, from, to] = /^<from (\d+) to (\d+)>$/.exec(String(expected)) ?? [];
  if (from !== undefined)
    return Number(actual) >= Number(from) && Number(actual) <= Number(to) ? [] : differs();
  if (typeof expected !== 'object' || expected === null) return expected === actual ? [] : differs();
  if (typeof actual !== 'object' || actual === null) return differs();
  if (Array.isArray(expected) && (!Array.isArray(actual) || actual.length !== expected.length))
    return differs();
  return Object.entries(expected).flatMap(([name, value]) =>
    differences(value, (actual as Record<string, unknown>)[name], path === '' ? name : `${path}.${name}`),
  );
}

function isAbove(value: unknown, bound: bigint): boolean {
  return typeof value === 'string' && /^\d+$/.test(value) && BigInt(value) > bound;
}
