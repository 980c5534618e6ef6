import type { KeyedIdGenerator } from '@ids/core';
import { createKeyedHttpGenerator } from '@ids/http';

/** A keyed generator that a server serves. */
export interface KeyedContext {
  readonly url: string;
  readonly name: string;
}

/** `note` counts events of a recording's processes. */
export function openKeyed(context: KeyedContext, note?: (event: string) => void): Promise<KeyedIdGenerator> {
  return createKeyedHttpGenerator({
    ...context,
    keyed: true,
    gaps: 'on-fault',
    discloses: ['volume'],
    onEvent: ({ type }) => note?.(type),
  });
}
