import { type SchemaIssue, shownValue } from '@ids/core';

/** For each option the values it may have; the first one is its default. */
type Choices = Readonly<Record<string, readonly [string, ...string[]]>>;

type Chosen<C extends Choices> = { readonly [Name in keyof C]: C[Name][number] };

/**
 * What a user wrote, as far as it is for `choices`, with the defaults; and what is wrong with it,
 * with the hints there are.
 */
export function choose<const C extends Choices>(
  choices: C,
  input: unknown,
  hints: { readonly [Name in keyof C]?: string } = {},
): { readonly value: Chosen<C>; readonly issues: SchemaIssue[] } {
  const isObject = typeof input === 'object' && input !== null;
  const issues: SchemaIssue[] = isObject ? [] : [{ message: `expected an object, got ${shownValue(input)}` }];
  const written = Object(input) as Readonly<Record<string, unknown>>;
  const value: Record<string, unknown> = {};
  for (const [name, accepted] of Object.entries<readonly unknown[]>(choices)) {
    const { [name]: chosen = accepted[0] } = written;
    value[name] = chosen;
    if (accepted.includes(chosen)) continue;
    const expected = accepted.map(shownValue).join(' | ');
    issues.push({
      path: [name],
      message: `expected ${expected}, got ${shownValue(chosen)}${hints[name] ?? ''}`,
    });
  }
  return { value: value as Chosen<C>, issues };
}
