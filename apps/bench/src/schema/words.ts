import { shownValue, unknownName } from '@ids/core/strategy';
import * as v from 'valibot';

// The words in which a result is described, on valibot. Each says in its messages what it accepts. Its
// description is for maintainers, and for readers of the published JSON Schema.

export const number = (description?: string) => about(v.number(mustBe('a number')), description);
export const numberOrNull = (description?: string) =>
  about(v.nullable(v.number(mustBe('a number or null'))), description);
export const text = (description?: string) => about(v.string(mustBe('a string')), description);
export const flag = (description?: string) => about(v.boolean(mustBe('true or false')), description);
/** A key that is only ever present as `true`. */
export const mark = (description?: string) => optional(v.literal(true, mustBe('true')), description);

export function oneOf<const Names extends readonly string[]>(names: Names, description?: string) {
  const accepted = names.map((name) => JSON.stringify(name)).join(', ');
  return about(v.picklist(names, mustBe(`one of ${accepted}`)), description);
}

export function list<S extends v.GenericSchema>(item: S, description?: string) {
  return about(v.pipe(v.array(item, mustBe('an array')), v.readonly()), description);
}

/** An object with these keys and no others. */
export function object<const E extends v.ObjectEntries>(description: string, entries: E) {
  const message = (issue: v.StrictObjectIssue): string => {
    const key = issue.path?.at(-1)?.key;
    if (issue.expected === 'never') return unknownName('key', String(key), Object.keys(entries));
    return issue.expected === 'Object' ? mustBe('an object')(issue) : 'is required';
  };
  return about(v.pipe(v.strictObject(entries, message), v.readonly()), description);
}

/** Any names, each with a value of `schema`. */
export function byName<S extends v.GenericSchema>(schema: S, description: string) {
  return noArray(about(v.pipe(v.record(v.string(), schema, mustBe('an object')), v.readonly()), description));
}

/** Valibot takes an array for an object that requires no key. */
export function noArray<S extends v.GenericSchema>(schema: S): S {
  const noList = v.custom<unknown>((input) => !Array.isArray(input), mustBe('an object'));
  return v.pipe(noList, schema) as unknown as S;
}

/** A key that may be absent. The description is of this key, and stands beside that of `schema`. */
export function optional<S extends v.GenericSchema>(schema: S, description?: string) {
  return about(v.exactOptional(schema), description);
}

/** A description replaces the one that `schema` has. */
export function about<S extends v.GenericSchema>(schema: S, description: string | undefined): S {
  return description === undefined ? schema : (v.pipe(schema, v.description(description)) as unknown as S);
}

export function mustBe(accepted: string): (issue: v.BaseIssue<unknown>) => string {
  return ({ input }) => `must be ${accepted}, got ${shownValue(input)}`;
}

/** For `satisfies`: a schema for each key of `T`, so that none is forgotten that is added to `T` later. */
export type EntriesOf<T> = { readonly [K in keyof T]-?: v.GenericSchema<unknown, T[K]> };
