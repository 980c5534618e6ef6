import { IdError, isIdError } from '@ids/core';
import { attemptMs, BurstSupply, type BurstSupplyOptions, type Demand } from '@ids/waiting';
import type { Connection } from './connection.js';
import { describeGenerator } from './describe.js';
import type { HttpListener } from './events.js';
import { issueCalls } from './issue-calls.js';
import type { KnownRealm } from './known-realm.js';
import { MostIds } from './most-ids.js';

export interface IssueSupplyOptions<T> extends BurstSupplyOptions {
  readonly connection: Connection;
  readonly name: string;
  readonly realm: KnownRealm;
  /** The most ids of one request, as the server said at the start. */
  readonly maxIds: number;
  readonly demand: Demand<T>;
  /** Converts the strings of an answer; throws for what is no id of this generator. */
  readonly toIds: (texts: readonly string[]) => readonly T[];
  /** Where the ids go from which the next calls of `give` take theirs. */
  readonly use: (ids: readonly T[]) => void;
  readonly deadlineMs: number;
  readonly emit: HttpListener;
}

/**
 * Asks a server for the ids of the calls that wait, with one request at a time, and gives them to these calls
 * only. The more calls wait, the more ids a request asks for.
 */
export class IssueSupply<T> extends BurstSupply {
  readonly #options: IssueSupplyOptions<T>;
  readonly #most: MostIds;
  #takes = 0;
  #dropped = 0;

  constructor(options: IssueSupplyOptions<T>) {
    super(options);
    this.#options = options;
    const { connection, name, maxIds, deadlineMs, signal } = options;
    this.#most = new MostIds(maxIds, async () => {
      const described = await describeGenerator(connection, name, { timeoutMs: deadlineMs, signal });
      return described.maxIdsPerRequest;
    });
  }

  /** Requests that were answered with ids. */
  get takes(): number {
    return this.#takes;
  }

  /** Ids that came and were not used. */
  get dropped(): number {
    return this.#dropped;
  }

  protected override async take(failures: number): Promise<void> {
    const { name, demand, deadlineMs, signal, toIds, use } = this.#options;
    const { calls } = demand;
    // Ids for calls that come later would not be above what other processes get in the meantime.
    const arrivedBy = calls.arrivals;
    if (calls.wanted === 0 || signal.aborted) return;
    const limits = { timeoutMs: attemptMs(deadlineMs, failures), signal };
    const [answer] = await this.#most.ask(calls.wanted, (count) =>
      issueCalls(this.#options, { calls: [{ generator: name, count }] }, limits),
    );
    if (answer === undefined) throw new TypeError('unreachable: each call has an answer');
    if ('refused' in answer) throw answer.refused;
    const ids = toIds(answer.ids);
    this.#takes += 1;
    this.sourceAnswered();
    use(ids);
    const given = calls.give(0, ids.length - 1, arrivedBy);
    if (given < ids.length) this.#drop(ids.length - given, 'its callers had given up');
  }

  /** Asks for no ids for `ready`: one in memory would be out of order. */
  protected override async ask(failures: number): Promise<void> {
    const { connection, name, deadlineMs, signal, realm } = this.#options;
    const timeoutMs = attemptMs(deadlineMs, failures);
    const described = await describeGenerator(connection, name, { timeoutMs, signal });
    realm.accept(described.realm);
    this.sourceAnswered();
  }

  #drop(count: number, reason: string): void {
    const { name, emit } = this.#options;
    this.#dropped += count;
    emit({ type: 'discard', name, count, reason });
  }

  protected override asIdError(cause: unknown): IdError {
    if (isIdError(cause)) return cause;
    const { name } = this.#options;
    return new IdError('ERR_IDS_UNAVAILABLE', `generator ${JSON.stringify(name)}: ${cause}`, { cause });
  }

  protected override report(error: IdError): void {
    const { name, emit } = this.#options;
    emit({ type: 'request-failed', name, error });
  }
}

/** Why calls wait although nothing failed. */
export function notAnswered(): IdError {
  return new IdError('ERR_IDS_TIMEOUT', 'the server has not answered in that time');
}
