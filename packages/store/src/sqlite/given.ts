/** A statement with anonymous parameters, and their values. */
export interface SqliteStatement {
  readonly text: string;
  readonly values: readonly (string | number | null)[];
}

interface GivenValue {
  readonly value: string | number | null;
  readonly as: 'text' | 'integer';
}

/** Values by the names of their columns. */
export type GivenValues = Readonly<Record<string, GivenValue>>;

export const givenText = (value: string | null | undefined): GivenValue => ({
  value: value ?? null,
  as: 'text',
});

export const givenInteger = (value: number | null | undefined): GivenValue => ({
  value: value ?? null,
  as: 'integer',
});

/** The values as a table `g` of one row. They are cast, because some drivers send each number as a float. */
export function given(values: GivenValues): string {
  return `(SELECT ${Object.entries(values)
    .map(([name, { as }]) => `CAST(? AS ${as}) AS ${name}`)
    .join(', ')}) g`;
}

/** What the parameters of `given` get, in their order. */
export function valuesOf(values: GivenValues): SqliteStatement['values'] {
  return Object.values(values).map(({ value }) => value);
}
