import type { Backend, CaseEnvironment, StrategyCase } from '../bench-case.js';

/** Servers of a fault's own: what is done to them must not be done to anybody else's. */
export interface Scene {
  readonly urls: Pick<CaseEnvironment, 'redisUrl' | 'databaseUrl'>;
  /** Does harm and undoes it; takes as long as that takes. */
  strike(producers: Producers): Promise<void>;
  close(): Promise<void>;
}

/** The processes that ask for ids. */
interface Producers {
  /** SIGKILL for the first one, and another in its place. */
  replaceOne(): void;
}

/** Something that goes wrong. */
export interface Fault {
  readonly name: string;
  /** What is done, in a sentence. */
  readonly what: string;
  /** Whom it concerns. */
  concerns(strategy: StrategyCase): boolean;
  /** A server goes away, and it takes a while until all is well again. */
  readonly outage: boolean;
  /** The clocks of the processes are set back in the middle. */
  readonly clockBack?: boolean;
  open(backends: readonly Backend[]): Promise<Scene>;
}

/** When ids came, of all processes together. */
export interface Timeline {
  readonly binMs: number;
  /** In each bin, from the first id on. */
  readonly ids: readonly number[];
  /** Of the harm, until it was undone; milliseconds since the first id. */
  readonly struck: { readonly fromMs: number; readonly toMs: number };
}

/** What a strategy did while something went wrong. */
export interface FaultResult {
  readonly fault: string;
  readonly what: string;
  readonly strategy: string;
  /** Why it was not tried. */
  readonly skipped?: string;
  readonly ids: number;
  readonly duplicates: number;
  /** An id that was given twice. */
  readonly example?: string;
  /** Numbers between the least and the greatest id that nobody got; absent where ids are no numbers. */
  readonly lost?: number;
  /** The longest time in which no process got an id, in milliseconds. */
  readonly withoutIdsMs: number;
  /** Absent when there were no ids. */
  readonly timeline?: Timeline;
  /** Calls that were rejected, and with what. */
  readonly errors: number;
  readonly firstError?: string;
}
