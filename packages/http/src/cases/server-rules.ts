import type { Json } from './case-files.js';
import { differences } from './differences.js';

interface Range {
  readonly low: bigint;
  readonly high: bigint;
}

interface Call {
  readonly generator: string;
  readonly key?: string;
  readonly count?: number;
}

/** What every answer of a server has to keep, whichever case it belongs to. */
export class ServerRules {
  /** By generator. */
  readonly #realms = new Map<string, unknown>();
  /** By generator and key. */
  readonly #taken = new Map<string, Range[]>();

  /** What is wrong with the answer to a request. */
  broken(path: string, request: Json | undefined, response: Response, answer: unknown): string[] {
    const { headers, status, ok } = response;
    const body = Object(answer) as Json;
    // Of the store behind the generator `down`.
    const leaks = JSON.stringify(body).includes('db.internal');
    const type = headers.get('content-type')?.split(';')[0];
    return [
      ...same('cache-control', headers.get('cache-control'), 'no-store'),
      ...same('content-type', type, ok ? 'application/json' : 'application/problem+json'),
      ...(leaks ? ['the answer must name no backend'] : []),
      ...(ok ? [] : ofProblem(status, body)),
      ...(ok && request !== undefined ? this.#ofTaken(path, request, body) : []),
    ];
  }

  #ofTaken(path: string, request: Json, body: Json): string[] {
    return [
      ...same('nonce', body.nonce, request.nonce),
      ...(path === '/ids' ? this.#ofIssued(request.calls as readonly Call[], body) : []),
      ...(path === '/leases' ? this.#ofLease(request, body) : []),
    ];
  }

  #ofIssued(calls: readonly Call[], { results }: Json): string[] {
    if (!Array.isArray(results) || results.length !== calls.length)
      return [`results: must have one for each of ${calls.length} calls`];
    return calls.flatMap((call, index) => this.#ofResult(call, results[index] as Json));
  }

  #ofResult({ generator, key = '', count = 1 }: Call, { problem, realm, ids }: Json): string[] {
    if (problem !== undefined) return ofProblem((problem as Json).status, problem as Json);
    if (!Array.isArray(ids) || ids.length !== count || !ids.every((id) => typeof id === 'string'))
      return [`ids: must be ${count} strings, got ${JSON.stringify(ids)}`];
    const ranges = ids.map((id) => ({ low: BigInt(id), high: BigInt(id) }));
    return [
      ...this.#ofRealm(generator, realm),
      ...ranges.flatMap((range) => this.#take(generator, key, range)),
    ];
  }

  #ofLease({ generator, size }: Json, { realm, low, high }: Json): string[] {
    if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || Number(high) - Number(low) + 1 !== size)
      return [`low and high: must be a range of ${size} IDs, got ${low} to ${high}`];
    const range = { low: BigInt(low as number), high: BigInt(high as number) };
    return [...this.#ofRealm(String(generator), realm), ...this.#take(String(generator), '', range)];
  }

  #ofRealm(generator: string, realm: unknown): string[] {
    if (typeof realm !== 'string' && realm !== null) return [`realm: must be a string or null, got ${realm}`];
    if (!this.#realms.has(generator)) this.#realms.set(generator, realm);
    return same(`realm of ${generator}`, realm, this.#realms.get(generator));
  }

  #take(generator: string, key: string, range: Range): string[] {
    const name = JSON.stringify([generator, key]);
    const taken = this.#taken.get(name) ?? [];
    this.#taken.set(name, taken);
    const again = taken.some(({ low, high }) => range.low <= high && low <= range.high);
    taken.push(range);
    return again
      ? [`${range.low} to ${range.high} of ${generator}: was given to another request before`]
      : [];
  }
}

function ofProblem(status: unknown, problem: Json): string[] {
  const members = { type: '<any>', title: '<any>', detail: '<any>', retryable: '<any>', status };
  const code = /^ERR_IDS_[A-Z_]+$/.test(String(problem.code)) ? [] : [`code: got ${problem.code}`];
  return [...differences(members, problem, 'the problem'), ...code];
}

function same(what: string, found: unknown, expected: unknown): string[] {
  return found === expected ? [] : [`${what}: must be ${expected}, got ${found}`];
}
