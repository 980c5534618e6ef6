import type { CaseEnvironment } from './bench-case.js';

/** Everything of one run in Postgres lies in this schema. */
export function schemaOf({ runId }: CaseEnvironment): string {
  return `ids_bench_${runId}`;
}

/** Every Redis key of one run starts with this. */
export function keyPrefixOf({ runId }: CaseEnvironment): string {
  return `ids-bench:${runId}:`;
}

/** The URL, where the caller declared the backend and so cannot be opened without it. */
export function need(url: string | undefined, backend: string): string {
  if (url === undefined) throw new Error(`opened without ${backend}`);
  return url;
}
