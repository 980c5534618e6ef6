import type { IdGenerator } from '@ids/core';
import { createHttpGenerator } from '@ids/http';

/** A generator that a server serves. */
interface Served {
  readonly url: string;
  readonly name: string;
}

/** Its ids as the server issues them, or from ranges that are leased. */
export type Context = Served &
  (
    | { readonly order: 'none' | 'real-time'; readonly gaps: 'on-restart' | 'on-fault' }
    | { readonly mode: 'segments'; readonly maxIdsLost?: number | undefined }
  );

/** `note` counts events of a recording's processes. */
export async function open(context: Context, note?: (event: string) => void): Promise<IdGenerator> {
  const onEvent = ({ type }: { readonly type: string }): void => note?.(type);
  if ('order' in context) return createHttpGenerator({ ...context, discloses: ['volume'], onEvent });
  // Small ranges, so that their edges are met often; with a bound of its own, as large as that allows.
  return createHttpGenerator({ ...context, minStep: 50, maxStep: context.maxIdsLost ?? 800, onEvent });
}
