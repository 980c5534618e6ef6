import { createIds, type StrategyConfig } from '@ids/core';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { snowflake } from '@ids/snowflake';
import { uuid7 } from '@ids/uuid7';
import { gpidAnatomy, objectIdAnatomy, sequenceAnatomy, snowflakeAnatomy, uuid7Anatomy } from './anatomy.js';
import {
  keyPrefixOf,
  need,
  segmentsOf,
  slotsOf,
  withRedisSequence,
  withSequence,
  withSlots,
} from './backend.js';
import { type CaseEnvironment, type CaseList, NOWHERE, type StrategyCase, subjectOf } from './case.js';
import { memoryControls, postgresNextval, redisIncr } from './controls.js';

const ids = createIds([objectid, uuid7, gpid, segmentInproc, segmentRedisDb, snowflake]);
type Config = StrategyConfig<(typeof ids.strategies)[number]>;

/** What a first config says of a case: its strategy, and the options that make it this case. */
export function configOf(name: string): Readonly<Record<string, unknown>> {
  const found = strategies.find((one) => one.name === name);
  const { strategy, options } = found?.config ?? { strategy: name };
  return { strategy, ...ids.strategies.find((one) => one.name === strategy)?.example, ...options };
}

/** The options that make a case more than its strategy, such as `order`. */
export function optionsOf(name: string): Readonly<Record<string, unknown>> {
  return strategies.find((one) => one.name === name)?.config.options ?? {};
}

/** The names of the options that tell the cases of a strategy apart. */
export function variantOptionsOf(strategy: string): readonly string[] {
  const known = strategies.filter((one) => one.config.strategy === strategy);
  return [...new Set(known.flatMap(({ config }) => Object.keys(config.options)))];
}

const MEMORY_CONTROLS = memoryControls.map(({ name }) => name);

/** All controls in memory, the usual alternative first. */
function against(first: string): string[] {
  return [first, ...MEMORY_CONTROLS.filter((name) => name !== first)];
}

interface KnownCase extends StrategyCase {
  readonly config: { readonly strategy: string; readonly options: Readonly<Record<string, unknown>> };
}

/** `variant`: options for a case that is more than its strategy with required options. */
function strategyCase(
  configOf: (environment: CaseEnvironment) => Config,
  comparedWith: readonly string[],
  parts: Pick<StrategyCase, 'anatomyOf' | 'idTypes' | 'prepare' | 'cleanUp'>,
  variant: Readonly<Record<string, unknown>> = {},
): KnownCase {
  const { strategy, guarantees } = ids.plan(configOf(NOWHERE));
  const { maxIdsPerSecond } = guarantees;
  return {
    kind: 'strategy',
    name: caseName(strategy, variant),
    config: { strategy, options: variant },
    guarantees,
    backends: guarantees.backends,
    format: guarantees,
    ...(maxIdsPerSecond !== undefined && { maxIdsPerSecond }),
    comparedWith,
    ...parts,
    open: async (environment) => subjectOf(await ids.create(configOf(environment))),
  };
}

/** What one installs, and the options that one writes: `segment-inproc with order: 'real-time'`. */
function caseName(strategy: string, options: Readonly<Record<string, unknown>>): string {
  const written = Object.entries(options).map(([name, value]) => `${name}: '${value}'`);
  return written.length === 0 ? strategy : `${strategy} with ${written.join(', ')}`;
}

const REAL_TIME = { order: 'real-time' } as const;
const INTEGERS = ['number', 'bigint'] as const;

/** All strategies of this workspace, with the options that they require, and the mode that keeps an order. */
const strategies: readonly KnownCase[] = [
  strategyCase(() => ({ strategy: 'objectid' }), against('bson ObjectId'), { anatomyOf: objectIdAnatomy }),
  strategyCase(() => ({ strategy: 'uuid7' }), against('uuidv7'), { anatomyOf: uuid7Anatomy }),
  strategyCase(
    ({ processIndex }) => ({ strategy: 'gpid', port: 8_000 + processIndex }),
    against('crypto.randomUUID'),
    { anatomyOf: gpidAnatomy },
  ),
  strategyCase(
    (environment) => ({ strategy: 'segment-inproc', name: 'inproc', ...segmentsOf(environment) }),
    [postgresNextval.name, ...MEMORY_CONTROLS],
    { anatomyOf: sequenceAnatomy, idTypes: INTEGERS, ...withSequence('inproc') },
  ),
  strategyCase(
    (environment) => ({
      strategy: 'segment-inproc',
      name: 'ordered',
      ...segmentsOf(environment),
      ...REAL_TIME,
    }),
    [postgresNextval.name, redisIncr.name],
    { anatomyOf: sequenceAnatomy, idTypes: INTEGERS, ...withSequence('ordered') },
    REAL_TIME,
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
    { anatomyOf: sequenceAnatomy, idTypes: INTEGERS, ...withRedisSequence('redis') },
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
