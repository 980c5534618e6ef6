import * as v from 'valibot';
import { adviceSchema, comparisonSchema, mergedConfigSchema } from './advice.js';
import { caseResultSchema } from './case.js';
import { claimResultSchema, probeResultSchema } from './claims.js';
import { estimateSchema, ratioSchema } from './figures.js';
import { backendSchema } from './guarantees.js';
import { about, flag, list, mustBe, number, numberOrNull, object, oneOf, optional, text } from './words.js';

export const profileSchema = object('How much to measure.', {
  name: oneOf(['quick', 'full', 'smoke']),
  syncBlocks: number(
    'Fresh processes per case for in-memory bursts; each is one block of the paired comparison.',
  ),
  sync: object(
    'Timed calls per process and measure, at most, and milliseconds after which to stop earlier.',
    { calls: number(), maxMs: number() },
  ),
  loopBlocks: number('Fresh processes per case for closed loops.'),
  loopMs: number('Milliseconds per closed loop.'),
  openLoop: object('Fresh processes per case for open loops, and milliseconds per rate.', {
    blocks: number(),
    ms: number(),
  }),
  atRateMs: number('Milliseconds at the rate that the service needs.'),
  slowdownMs: optional(
    number('Milliseconds from the first ids of a process to the later ones; absent before version 2.'),
  ),
  uniqueIds: object(
    'Ids in all processes together: for strategies in memory, and for those with a round trip per call.',
    { memory: number(), remote: number() },
  ),
  order: object('Per process.', { calls: number(), windowMs: number(), concurrency: number() }),
  claims: object('`claims`: fresh processes per probe, and how long each measures, in milliseconds.', {
    blocks: number(),
    ms: number(),
  }),
  soakMs: object(
    '`bench faults`: for how many milliseconds to request ids, if a server is away and if none is.',
    { outage: number(), brief: number() },
  ),
  indexRows: number('`bench index`: rows per table.'),
  timeoutMs: object('Milliseconds after which a worker is considered hung.', {
    trial: number(),
    uniqueness: number(),
  }),
});
export type Profile = v.InferOutput<typeof profileSchema>;

export const environmentSchema = object('Where the figures come from.', {
  node: text(),
  os: text(),
  cpu: text(),
  cores: number(),
  memoryBytes: number(),
  load: object(
    'The load average over one minute, before and after, and how many cores other programs kept busy.',
    { before: number(), after: number(), others: number() },
  ),
  redis: optional(text()),
  postgres: optional(text()),
  byUrl: optional(
    list(
      backendSchema,
      'Of the servers, those that the user named by URL: they may be elsewhere, behind a network. Absent if all ' +
        'were started on this machine.',
    ),
  ),
  version: optional(text('Of this package; absent in results from before it was published.')),
  gitCommit: optional(text('Of the sources; absent if the package was installed.')),
});
export type Environment = v.InferOutput<typeof environmentSchema>;

const timelineSchema = object(
  'When ids were issued, by all processes together; absent if there were no ids.',
  {
    binMs: number(),
    ids: list(number(), 'How many in each bin, from the first id on.'),
    struck: object('When the fault began and ended, in milliseconds since the first id.', {
      fromMs: number(),
      toMs: number(),
    }),
  },
);
export type Timeline = v.InferOutput<typeof timelineSchema>;

export const faultResultSchema = object('What happened to the ids of a strategy during a fault.', {
  fault: text(),
  what: text(),
  strategy: text(),
  skipped: optional(text('Why the fault was not injected.')),
  ids: number(),
  duplicates: number(),
  example: optional(text('An id that was issued twice.')),
  lost: optional(
    number(
      'Numbers between the smallest and the greatest id that were never issued; absent if ids are not numbers.',
    ),
  ),
  withoutIdsMs: number('The longest time without an id in any process, in milliseconds.'),
  timeline: optional(timelineSchema),
  errors: number('Rejected calls.'),
  firstError: optional(text()),
});
export type FaultResult = v.InferOutput<typeof faultResultSchema>;

const indexCostSchema = object('The cost of ids as a primary key.', {
  name: text(),
  strategy: optional(text()),
  type: text(),
  rows: number(),
  rowsPerSecond: estimateSchema,
  ratio: optional(ratioSchema, 'To `bigserial`, paired by batch; absent for itself.'),
  slope: number(
    'The rate of the last quarter over that of the first: below 1, inserts get slower as the index grows.',
  ),
  indexBytesPerRow: number(),
  walBytesPerRow: number(),
  leafDensity: numberOrNull(
    'How full the leaf pages are, in percent; `null` if the server has no `pgstattuple`.',
  ),
});
export type IndexCost = v.InferOutput<typeof indexCostSchema>;

export const indexCostsSchema = object('The cost of ids as a primary key, in one Postgres.', {
  sharedBuffers: text(),
  costs: list(indexCostSchema),
});
export type IndexCosts = v.InferOutput<typeof indexCostsSchema>;

export const runResultSchema = object('What one command found out.', {
  incomplete: flag('The run was stopped: the figures cover what was measured until then.'),
  startedAt: text('ISO 8601.'),
  seconds: number(),
  profile: profileSchema,
  processes: number(),
  seed: number('Of the bootstrap: the same samples and seed give the same intervals.'),
  environment: environmentSchema,
  notComparable: optional(
    text('Why the figures mean nothing, `load 3.1 on 2 cores`; absent if they can be compared.'),
  ),
  cases: list(caseResultSchema, 'Strategies first, in the order of the list, then controls.'),
  advice: list(adviceSchema, 'What to choose: one entry per set of needs, or one without needs.'),
  config: optional(
    mergedConfigSchema,
    'The config of `--config`, with what was recommended for its generators.',
  ),
  claims: optional(
    list(claimResultSchema, 'What packages claim about their speed, and whether it holds: `pnpm claims`.'),
  ),
  probes: optional(list(probeResultSchema, 'The measurements behind the claims.')),
  faults: optional(list(faultResultSchema, 'What happened to ids during faults: `bench faults`.')),
  indexCosts: optional(indexCostsSchema, 'The cost of ids as a primary key: `bench index`.'),
  problems: list(text(), 'Everything that makes the exit code 1, in words.'),
});
export type RunResult = v.InferOutput<typeof runResultSchema>;

export const benchResultSchema = object('What `result.json` holds. The report is rendered from it alone.', {
  ...runResultSchema.entries,
  schemaVersion: about(
    v.literal(2, mustBe('2')),
    'Raised with every change that a reader of older files would notice. This bench also reads version 1.',
  ),
  kept: optional(
    list(
      runResultSchema,
      'The last runs of other commands, of the same commit on the same machine: one page shows them all.',
    ),
  ),
  comparison: optional(comparisonSchema, 'With an earlier run: `--compare`.'),
});
export type BenchResult = v.InferOutput<typeof benchResultSchema>;
