import { IdError, isIdError } from '@ids/core';
import { randomValues } from '@ids/core/strategy';
import { withTimeout } from '@ids/waiting';
import { type RefusedError, refusalOf } from './problem.js';
import type { WireRequest } from './wire.js';

/** The part of `fetch` that is used. `env.IDS.fetch` of a service binding is one as well. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

/** How a server is reached. */
export interface ConnectionOptions {
  /** `http:` or `https:`, without user, query and fragment; a path is put before `/v1`. */
  readonly url: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string | undefined;
  /** By default, that of the platform. */
  readonly fetch?: FetchLike | undefined;
}

/** How long a request may take. */
export interface RequestLimits {
  /** In milliseconds. */
  readonly timeoutMs: number;
  /** Ends the request as well. */
  readonly signal?: AbortSignal | undefined;
}

/** Requests to one server. Nothing is sent twice here: a request may have taken ids although it failed. */
export class Connection {
  /** The server, for messages. */
  readonly server: string;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: FetchLike;
  /** The refusal that asked for a pause, and the reading of `performance.now()` at which that ends. */
  #paused: { readonly refusal: RefusedError; readonly untilMs: number } | undefined;

  constructor({ url, token, fetch }: ConnectionOptions) {
    const { origin, pathname } = new URL(url);
    this.#base = `${origin}${pathname.replace(/\/$/, '')}/v1`;
    this.server = `the ids server at ${origin}`;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    // Called without a receiver: browsers and workerd refuse `fetch` as a method of another object.
    this.#fetch = fetch ?? ((target, init) => globalThis.fetch(target, init));
  }

  /** Reads what takes no ids. */
  get(path: string, limits: RequestLimits): Promise<object> {
    return this.#send(path, { method: 'GET' }, limits);
  }

  /**
   * Asks for ids; `request` may give the server a shorter `timeoutMs`. Rejects with `ERR_IDS_UNAVAILABLE` for
   * an answer to another request than this one: a cache or a proxy has kept it, and its ids are used already.
   */
  async post(path: string, request: object, limits: RequestLimits): Promise<object> {
    const nonce = newNonce();
    const body: WireRequest = { timeoutMs: limits.timeoutMs, ...request, nonce };
    const answer = await this.#send(path, { method: 'POST', body: JSON.stringify(body) }, limits);
    const echoed = (answer as WireRequest).nonce;
    if (echoed === nonce) return answer;
    const found = echoed === undefined ? 'no nonce' : 'the nonce of another request';
    throw this.unusable(`has ${found}: something between here and the server keeps responses`);
  }

  /** The error for an answer that must not be used. */
  unusable(why: string): IdError {
    return new IdError('ERR_IDS_UNAVAILABLE', `an answer of ${this.server} ${why}. Nothing of it is used`);
  }

  async #send(path: string, init: RequestInit, { timeoutMs, signal }: RequestLimits): Promise<object> {
    signal?.throwIfAborted();
    // Until the time that the server asked for, each attempt fails as the last one did.
    if (this.#paused !== undefined && performance.now() < this.#paused.untilMs) throw this.#paused.refusal;
    const expired = (): IdError =>
      new IdError('ERR_IDS_TIMEOUT', `${this.server} did not answer within ${timeoutMs} ms`);
    return withTimeout(timeoutMs, signal, expired, async (ended) => {
      const response = await this.#reach(path, { ...init, signal: ended });
      const body = await this.#read(response);
      if (response.ok && typeof body === 'object' && body !== null) return body;
      const refusal = refusalOf(this.server, response, body);
      this.#paused = { refusal, untilMs: performance.now() + refusal.pauseMs };
      throw refusal;
    });
  }

  async #reach(path: string, init: RequestInit): Promise<Response> {
    const headers = { accept: 'application/json', 'content-type': 'application/json', ...this.#headers };
    try {
      // A token must not follow a redirect to another server.
      return await this.#fetch(`${this.#base}${path}`, { ...init, headers, redirect: 'manual' });
    } catch (error) {
      throw this.#broken('cannot be reached', error);
    }
  }

  /** The body, if it is JSON. One that broke off is an error, whatever arrived of it. */
  async #read(response: Response): Promise<unknown> {
    const text = await response.text().catch((error: unknown) => {
      throw this.#broken('broke off its answer', error);
    });
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  #broken(what: string, error: unknown): unknown {
    if (isIdError(error)) return error;
    const { cause } = Object(error) as { cause?: unknown };
    const why = [error, cause].find((one) => typeof Object(one).code === 'string') ?? error;
    const reason = String(Object(why).code ?? Object(why).message ?? why);
    return new IdError('ERR_IDS_UNAVAILABLE', `${this.server} ${what}: ${reason}`, { cause: error });
  }
}

const NONCE_WORDS = 4;

/** 128 random bits. `randomUUID` is missing in browsers outside secure contexts. */
function newNonce(): string {
  const words = randomValues(new Uint32Array(NONCE_WORDS));
  return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('');
}
