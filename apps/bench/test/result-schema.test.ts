import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { expect, it } from 'vitest';
import * as advice from '../src/schema/advice.js';
import * as cases from '../src/schema/case.js';
import * as claims from '../src/schema/claims.js';
import * as figures from '../src/schema/figures.js';
import * as guarantees from '../src/schema/guarantees.js';
import * as run from '../src/schema/run.js';

/** Every schema that is exported becomes a definition: `Estimate` of `estimateSchema`. */
const definitions = Object.fromEntries(
  [
    ...Object.entries(figures),
    ...Object.entries(guarantees),
    ...Object.entries(cases),
    ...Object.entries(claims),
    ...Object.entries(advice),
    ...Object.entries(run),
  ]
    .filter(([name]) => name.endsWith('Schema'))
    .map(([name, schema]) => [name[0]?.toUpperCase() + name.slice(1, -'Schema'.length), schema]),
) as Record<string, v.GenericSchema>;

it('the published JSON Schema is the one of the schema: "pnpm --filter @ids/bench schema" writes it', async () => {
  const made = toJsonSchema(run.benchResultSchema, {
    target: 'draft-07',
    typeMode: 'output',
    definitions,
    ignoreActions: ['readonly'],
  });
  const text = `${JSON.stringify(made, null, 2)}\n`;
  await expect(text).toMatchFileSnapshot('../schema/result-v2.schema.json');
});
