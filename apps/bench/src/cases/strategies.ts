import { createIds, type StrategyConfig } from '@ids/core';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { snowflake } from '@ids/snowflake';
import { uuid7 } from '@ids/uuid7';
import {
  keyPrefixOf,
  need,
  segmentsOf,
  slotsOf,
  withRedisSequence,
  withSequence,
  withSlots,
} from './backend.js';
import {
  type CaseEnvironment,
  type CaseList,
  NOWHERE,
  partsOf,
  type StrategyCase,
  subjectOf,
} from './case.js';
import { memoryControls, postgresNextval, redisIncr } from './controls.js';

const ids = createIds([objectid, uuid7, gpid, segmentInproc, segmentRedisDb, snowflake]);
type Config = StrategyConfig<(typeof ids.strategies)[number]>;

/** What a first config says of a case: its strategy, and the options that make it this case. */
export function configOf(name: string): Readonly<Record<string, unknown>> {
  const [strategy] = name.split(' with ');
  const known = ids.strategies.find((one) => one.name === strategy);
  return { strategy, ...known?.example, ...(name === ORDERED && REAL_TIME) };
}

const REAL_TIME = { order: 'real-time' } as const;
/** What one installs, and the option that one writes. */
const ORDERED = "segment-inproc with order: 'real-time'";
const INTEGERS = ['number', 'bigint'] as const;
const MEMORY_CONTROLS = memoryControls.map(({ name }) => name);

/** All controls in memory, the usual alternative first. */
function against(first: string): string[] {
  return [first, ...MEMORY_CONTROLS.filter((name) => name !== first)];
}

function strategyCase(
  configOf: (environment: CaseEnvironment) => Config,
  comparedWith: readonly string[],
  parts: Partial<StrategyCase> = {},
): StrategyCase {
  const { strategy, guarantees } = ids.plan(configOf(NOWHERE));
  return {
    ...partsOf(guarantees),
    name: strategy,
    comparedWith,
    ...parts,
    open: async (environment) => subjectOf(await ids.create(configOf(environment))),
  };
}

/** All strategies of this workspace, with the options that they require, and the mode that keeps an order. */
const strategies: readonly StrategyCase[] = [
  strategyCase(() => ({ strategy: 'objectid' }), against('bson ObjectId')),
  strategyCase(() => ({ strategy: 'uuid7' }), against('uuidv7')),
  strategyCase(
    ({ processIndex }) => ({ strategy: 'gpid', port: 8_000 + processIndex }),
    against('crypto.randomUUID'),
  ),
  strategyCase(
    (environment) => ({ strategy: 'segment-inproc', name: 'inproc', ...segmentsOf(environment) }),
    [postgresNextval.name, ...MEMORY_CONTROLS],
    { idTypes: INTEGERS, ...withSequence('inproc') },
  ),
  strategyCase(
    (environment) => ({
      strategy: 'segment-inproc',
      name: 'ordered',
      ...segmentsOf(environment),
      ...REAL_TIME,
    }),
    [postgresNextval.name, redisIncr.name],
    { name: ORDERED, idTypes: INTEGERS, ...withSequence('ordered') },
  ),
  strategyCase(
    (environment) => ({
      strategy: 'segment-redis-db',
      name: 'redis',
      ...segmentsOf(environment),
      redis: need(environment.redisUrl, 'Redis'),
      keyPrefix: keyPrefixOf(environment),
    }),
    [redisIncr.name, postgresNextval.name],
    { idTypes: INTEGERS, ...withRedisSequence('redis') },
  ),
  strategyCase(
    // Each worker opens generators of its own: their wait at the start would be most of a short run.
    (environment) => ({ strategy: 'snowflake', name: 'slots', startup: 'at-once', ...slotsOf(environment) }),
    [...against('@sapphire/snowflake'), postgresNextval.name],
    withSlots('slots'),
  ),
];

export const cases = [...strategies, ...memoryControls, redisIncr, postgresNextval];

/** What `pnpm bench` measures. */
export const caseList: CaseList = { url: import.meta.url, cases };
