import { readFileSync } from 'node:fs';
import type { Guarantees } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { conformanceCases, keyedConformanceCases } from '../src/index.js';

const page = readFileSync(new URL('../../../docs/guarantees.md', import.meta.url), 'utf8');
const [, table = ''] = page.split('## Which case tests which claim');
const rows = Array.from(
  table.matchAll(/^\| (`[\w.]+`[^|]*)\| (.+?) +\|$/gm),
  ([, fields = '', cases = '']) => ({
    fields: Array.from(fields.matchAll(/`([\w.]+)`/g), ([, field]) => field),
    // Names of cases hold no semicolon.
    cases: cases.split(';').map((name) => name.trim()),
  }),
);

type Fields = { readonly [K in keyof Required<Guarantees>]: readonly string[] };

/** Complete for the type checker: a new guarantee needs a place here, and so on the page. */
const fields: Fields = {
  unique: ['unique'],
  order: ['order.process', 'order.cluster', 'order.skewMs'],
  gaps: ['gaps'],
  maxIdsLost: ['maxIdsLost'],
  within: ['within'],
  sync: ['sync'],
  idType: ['idType'],
  text: [
    'text.pattern',
    'text.prefix',
    'text.alphabet',
    'text.minLength',
    'text.maxLength',
    'text.sortable',
    'text.caseSensitive',
  ],
  backends: ['backends'],
  discloses: ['discloses'],
  maxIdsPerSecond: ['maxIdsPerSecond'],
};

describe('docs/guarantees.md', () => {
  it.each(Object.values(fields).flat())('names the cases that test %s', (field) => {
    expect(rows.filter((row) => row.fields.includes(field))).not.toHaveLength(0);
  });

  it('names no case that the kit does not have', () => {
    const known = [...conformanceCases, ...keyedConformanceCases].map(({ name }) => name);
    const named = rows.flatMap(({ cases }) => cases);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});
