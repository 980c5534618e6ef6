import { type Guarantees, type Id, type IdGenerator, isSyncGenerator } from '@ids/core';

/** What a case may use. A URL is absent when its backend is not available. */
export interface CaseEnvironment {
  /** Unique to the run: part of every name that a case creates in a backend. */
  readonly runId: string;
  /** 0 .. processes - 1, counted within one phase. */
  readonly processIndex: number;
  readonly redisUrl?: string;
  readonly databaseUrl?: string;
}

/** Guarantees depend on the options; URLs that are never opened are enough to compute them. */
export const NOWHERE: CaseEnvironment = {
  runId: 'none',
  processIndex: 0,
  redisUrl: 'redis://127.0.0.1:1',
  databaseUrl: 'postgres://127.0.0.1:1/none',
};

/** An opened source of ids in a worker. It has `nextSync`, `next` or both. */
export interface Subject {
  readonly nextSync?: () => Id;
  readonly nextBatchSync?: (count: number) => Id[];
  readonly next?: () => Promise<Id>;
  readonly nextBatch?: (count: number) => Promise<Id[]>;
  /** Resolves once `nextSync` can return ids; absent if it always can. */
  readonly ready?: () => Promise<void>;
  /** The share of calls, since it was last asked, that were the first ones for their keys: from 0 to 1. */
  readonly firstUses?: () => number;
  /** Segments and the like that this process got so far; absent if it counts none. */
  readonly refills?: () => number;
  close(): Promise<void>;
}

/** What every id must look like: a part of `Guarantees`. */
export type IdFormat = Pick<Guarantees, 'idType' | 'text'>;

/** What the parent needs to know about something that workers open. */
export interface Preparable {
  readonly name: string;
  readonly backends: readonly Backend[];
  /** What this machine lacks for it, in words: then it is skipped. */
  readonly missing?: string;
  /** The module in whose `cases` a worker finds it, if that is not the module of the list. */
  readonly casesUrl?: string;
  /** Runs once, in the parent, before any worker opens the case. */
  prepare?(environment: CaseEnvironment): Promise<void>;
  /** Undoes `prepare`. Runs once, in the parent, after the last worker. */
  cleanUp?(environment: CaseEnvironment): Promise<void>;
}

interface CaseParts extends Preparable {
  readonly format: IdFormat;
  /** The most ids per second and process that the format allows: bursts stay below it. */
  readonly maxIdsPerSecond?: number;
  /** Opens the case in a worker, which closes it. */
  open(environment: CaseEnvironment): Promise<Subject>;
}

/** What the bench starts, or gets from the environment. It starts no server of ids. */
export type Backend = Exclude<Guarantees['backends'][number], 'http'>;

/** A strategy to choose from: measured, and checked for uniqueness and order. */
export interface StrategyCase extends CaseParts {
  readonly kind: 'strategy';
  readonly guarantees: Guarantees;
  /** A strategy of the user: how its config is written is not known here. */
  readonly own?: true;
  /** The types that its option `as` offers with the same figures; absent if there is only that of the ids. */
  readonly idTypes?: readonly Guarantees['idType'][];
  /** The names of the controls to compare it with; the decision table shows the first. */
  readonly comparedWith: readonly string[];
}

/** Something to compare strategies with, measured in the same way in the same run. */
export interface ControlCase extends CaseParts {
  readonly kind: 'control';
  /** What people already use: it stands beside the strategies in the decision table. */
  readonly usual?: true;
}

export type BenchCase = StrategyCase | ControlCase;

/**
 * The cases of a run. A worker is a fresh process: it imports the module at `url`, which exports the same
 * list as `cases`.
 */
export interface CaseList {
  readonly url: string;
  readonly cases: readonly BenchCase[];
}

/** What a strategy's guarantees say of its case. */
export function partsOf(guarantees: Guarantees) {
  const { maxIdsPerSecond } = guarantees;
  const backends = guarantees.backends.filter((one): one is Backend => one !== 'http');
  const limit = maxIdsPerSecond !== undefined && { maxIdsPerSecond };
  return { kind: 'strategy', guarantees, backends, format: guarantees, ...limit } as const;
}

/** How the bench calls a generator. */
export function subjectOf(generator: IdGenerator): Subject {
  return {
    ...(isSyncGenerator(generator) && {
      nextSync: () => generator.nextSync(),
      nextBatchSync: (count: number) => generator.nextBatchSync(count),
    }),
    next: () => generator.next(),
    nextBatch: (count) => generator.nextBatch(count),
    // Without a backend there is nothing to wait for.
    ...(generator.guarantees.backends.length > 0 && { ready: () => generator.ready() }),
    ...(generator.counters?.().refills !== undefined && {
      refills: () => generator.counters?.().refills ?? 0,
    }),
    close: () => generator.close(),
  };
}
