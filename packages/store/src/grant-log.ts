import { IdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';

/** Whether and under which label reservations are logged. */
export interface LogOptions {
  /**
   * Whether each reservation is written to the grant log, in the same statement; default false. See
   * `whoIssued`.
   */
  readonly log?: boolean | undefined;
  /** Who reserves, for the log: any label of 1 to 255 characters, such as a gpid; default `host:pid`. */
  readonly owner?: string | undefined;
}

export const OWNER_RULE = '1 to 255 characters, no control characters';

/** Counts code points, as Postgres does. */
export function isOwner(value: unknown): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,255}$/u.test(value);
}

export function assertOwner(value: unknown): asserts value is string {
  if (isOwner(value)) return;
  throw new IdError('ERR_IDS_CONFIG', `owner must be ${OWNER_RULE}, got ${formatValue(value)}`);
}

/**
 * This process, for humans: its host and its pid. Not unique among containers that share a host name. In a
 * Worker, which has neither: the runtime.
 */
export function defaultOwner(): string {
  // Not imported, so that this also loads where there is no Node.js.
  const os = globalThis.process?.getBuiltinModule?.('node:os');
  if (os !== undefined) return `${os.hostname()}:${process.pid}`;
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return navigator?.userAgent ?? 'unknown';
}
