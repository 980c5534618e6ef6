import type { Status } from '../status-schema.js';

export type { Status };
export type GeneratorStatus = Status['generators'][number];

/** How long the page waits for an answer, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** The server refused a request. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

const KEY = 'ids-token';

/** In this tab alone, until it is closed; never in an address. */
export const token = {
  get: (): string | null => sessionStorage.getItem(KEY),
  set: (value: string): void => sessionStorage.setItem(KEY, value),
  forget: (): void => sessionStorage.removeItem(KEY),
};

/** Reads from the server that sent the page. Rejects with a `Refusal`, or if there is no answer. */
export async function read<T>(path: string): Promise<T> {
  const known = token.get();
  const response = await fetch(path, {
    headers: known === null ? {} : { authorization: `Bearer ${known}` },
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  const { detail } = Object(body) as { detail?: unknown };
  throw new Refusal(response.status, typeof detail === 'string' ? detail : `status ${response.status}`);
}
