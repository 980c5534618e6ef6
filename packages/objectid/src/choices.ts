import { type SchemaIssue, shownValue } from '@ids/core';

/** For each option the values it may have; the first one is its default. */
type Choices = Readonly<Record<string, readonly [string, ...string[]]>>;

type Chosen<C extends Choices> = { readonly [Name in keyof C]: C[Name][number] };

/** What a user wrote, as far as it is for `choices`, with the defaults; and what is wrong with it. */
export function choose<const C extends Choices>(
  choices: C,
  input: unknown,
): { readonly value: Chosen<C>; readonly issues: SchemaIssue[] } {
  if (typeof input !== 'object' || input === null) {
    return { value: {} as Chosen<C>, issues: [{ message: `expected an object, got ${shownValue(input)}` }] };
  }
  const written = input as Readonly<Record<string, unknown>>;
  const value: Record<string, unknown> = {};
  const issues: SchemaIssue[] = [];
  for (const [name, accepted] of Object.entries(choices)) {
    value[name] = written[name] ?? accepted[0];
    if (accepted.some((choice) => choice === value[name]) && written[name] !== null) continue;
    const list = accepted.map((choice) => `"${choice}"`).join(' | ');
    issues.push({ path: [name], message: `expected ${list}, got ${shownValue(written[name])}` });
  }
  return { value: value as Chosen<C>, issues };
}
