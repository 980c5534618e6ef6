import { IdError } from '@ids/core';

/** Whether a package could not be loaded because it is not there, as Node.js and bundlers say it. */
export function isMissing(name: string, error: unknown): boolean {
  const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  const notFound = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  return notFound && String(message).includes(`'${name}'`);
}

/**
 * Why there is no driver: it is not installed, or what `cause` says, as of one that was bundled. `instead`:
 * what may be passed without it.
 */
export function missingDriver(what: string, name: string, cause: unknown, instead = 'a pool'): IdError {
  const needs = `${what} needs the package "${name}"`;
  const why = isMissing(name, cause)
    ? `install it or pass ${instead}`
    : `it cannot be loaded: ${(cause as Error).message}; if it is bundled, make it external`;
  return new IdError('ERR_IDS_CONFIG', `${needs}; ${why}`, { cause });
}
