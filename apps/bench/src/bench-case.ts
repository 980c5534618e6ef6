import { type Guarantees, type Id, type IdGenerator, isSyncGenerator } from '@ids/core';
import type { Anatomy } from './anatomy/anatomy.js';

/** What a case may use. URLs are present when the backend could be had. */
export interface CaseEnvironment {
  /** Unlike that of any other run: put it into every name that a case makes in a backend. */
  readonly runId: string;
  /** 0 .. processes - 1, counted within one phase. */
  readonly processIndex: number;
  readonly redisUrl?: string;
  readonly databaseUrl?: string;
}

/** An opened id source in a worker. At least one of `nextSync` and `next` is there. */
export interface Subject {
  readonly nextSync?: () => Id;
  readonly nextBatchSync?: (count: number) => Id[];
  readonly next?: () => Promise<Id>;
  readonly nextBatch?: (count: number) => Promise<Id[]>;
  /** Resolves once `nextSync` can serve; absent where it always can. */
  readonly ready?: () => Promise<void>;
  close(): Promise<void>;
}

/** What every id must look like; `Guarantees` has this shape. */
export type IdFormat = Pick<Guarantees, 'idType' | 'text'>;

/** What the parent has to know of something that workers open. */
export interface Preparable {
  readonly name: string;
  readonly backends: readonly Backend[];
  /** Runs once, in the parent, before any worker opens the case. */
  prepare?(environment: CaseEnvironment): Promise<void>;
  /** Undoes `prepare`. Runs once, in the parent, after the last worker. */
  cleanUp?(environment: CaseEnvironment): Promise<void>;
}

interface CaseParts extends Preparable {
  readonly format: IdFormat;
  /** A ceiling of the format in ids per second and process: bursts stay below it. */
  readonly maxIdsPerSecond?: number;
  /** Opens the case in a worker, which closes it. */
  open(environment: CaseEnvironment): Promise<Subject>;
}

export type Backend = Guarantees['backends'][number];

/** Something to choose: measured, checked for uniqueness and for order. */
export interface StrategyCase extends CaseParts {
  readonly kind: 'strategy';
  readonly guarantees: Guarantees;
  /** What an id of its own is made of; absent where nobody has said. */
  anatomyOf?(id: Id): Anatomy;
  /** The names of the controls that it is compared with; the first is the one in the decision table. */
  readonly comparedWith: readonly string[];
}

/** A yardstick, measured by the same machinery in the same run. */
export interface ControlCase extends CaseParts {
  readonly kind: 'control';
}

export type BenchCase = StrategyCase | ControlCase;

/**
 * The cases of a run. Workers are fresh processes, so they get the list by importing `url`, whose module
 * exports the same list as `cases`.
 */
export interface CaseList {
  readonly url: string;
  readonly cases: readonly BenchCase[];
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
    close: () => generator.close(),
  };
}
