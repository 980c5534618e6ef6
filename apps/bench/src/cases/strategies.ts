import { createIds, type StrategyConfig } from '@ids/core';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { snowflake } from '@ids/snowflake';
import { gpidAnatomy, objectIdAnatomy, sequenceAnatomy, snowflakeAnatomy } from './anatomy.js';
import {
  keyPrefixOf,
  need,
  segmentsOf,
  slotsOf,
  withRedisSequence,
  withSequence,
  withSlots,
} from './backend.js';
import { type CaseEnvironment, type CaseList, type StrategyCase, subjectOf } from './case.js';
import { memoryControls, postgresNextval, redisIncr } from './controls.js';

const ids = createIds([objectid, gpid, segmentInproc, segmentRedisDb, snowflake]);
type Config = StrategyConfig<(typeof ids.strategies)[number]>;

/** Options that a first config of the strategy needs. */
export function exampleOf(name: string): Readonly<Record<string, unknown>> | undefined {
  return ids.strategies.find((strategy) => strategy.name === name)?.example;
}

/** Guarantees depend on the options; a URL that is never opened is enough to compute them. */
const NOWHERE: CaseEnvironment = {
  runId: 'none',
  processIndex: 0,
  redisUrl: 'redis://127.0.0.1:1',
  databaseUrl: 'postgres://127.0.0.1:1/none',
};

const MEMORY_CONTROLS = memoryControls.map(({ name }) => name);

/** All controls in memory, the usual alternative first. */
function against(first: string): string[] {
  return [first, ...MEMORY_CONTROLS.filter((name) => name !== first)];
}

function strategyCase(
  configOf: (environment: CaseEnvironment) => Config,
  comparedWith: readonly string[],
  parts: Pick<StrategyCase, 'anatomyOf' | 'prepare' | 'cleanUp'>,
): StrategyCase {
  const { strategy: name, guarantees } = ids.plan(configOf(NOWHERE));
  const { maxIdsPerSecond } = guarantees;
  return {
    kind: 'strategy',
    name,
    guarantees,
    backends: guarantees.backends,
    format: guarantees,
    ...(maxIdsPerSecond !== undefined && { maxIdsPerSecond }),
    comparedWith,
    ...parts,
    open: async (environment) => subjectOf(await ids.create(configOf(environment))),
  };
}

/** All strategies of this workspace, with only the options that they require. */
const strategies: readonly StrategyCase[] = [
  strategyCase(() => ({ strategy: 'objectid' }), against('bson ObjectId'), { anatomyOf: objectIdAnatomy }),
  strategyCase(
    ({ processIndex }) => ({ strategy: 'gpid', port: 8_000 + processIndex }),
    against('crypto.randomUUID'),
    { anatomyOf: gpidAnatomy },
  ),
  strategyCase(
    (environment) => ({ strategy: 'segment-inproc', name: 'inproc', ...segmentsOf(environment) }),
    [postgresNextval.name, ...MEMORY_CONTROLS],
    { anatomyOf: sequenceAnatomy, ...withSequence('inproc') },
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
    { anatomyOf: sequenceAnatomy, ...withRedisSequence('redis') },
  ),
  strategyCase(
    // Each worker opens generators of its own: their wait at the start would be most of a short run.
    (environment) => ({ strategy: 'snowflake', name: 'slots', startup: 'at-once', ...slotsOf(environment) }),
    [...against('@sapphire/snowflake'), postgresNextval.name],
    { anatomyOf: snowflakeAnatomy, ...withSlots('slots') },
  ),
];

export const cases = [...strategies, ...memoryControls, redisIncr, postgresNextval];

/** What `pnpm bench` measures. */
export const caseList: CaseList = { url: import.meta.url, cases };
