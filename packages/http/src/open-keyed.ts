import type { Guarantees, KeyedIdGenerator } from '@ids/core';
import { KeyedDispenser } from '@ids/keyed';
import { type IdTypeName, type IdTypes, toIdOf } from '@ids/segment';
import { assertOffered } from './claims.js';
import { Connection } from './connection.js';
import { describeGenerator } from './describe.js';
import { HttpKeyedSource } from './keyed-source.js';
import type { ParsedOptions } from './options.js';

/** Asks the server about the generator, and opens one over its keys. */
export async function openKeyed(
  strategy: string,
  guarantees: Guarantees,
  options: ParsedOptions,
): Promise<KeyedIdGenerator<IdTypes[IdTypeName]>> {
  const { url, token, fetch, name, as, deadlineMs, onEvent } = options;
  const connection = { url, token, fetch };
  const described = await describeGenerator(new Connection(connection), name, { timeoutMs: deadlineMs });
  assertOffered(name, guarantees, described.guarantees);
  return new KeyedDispenser<IdTypes[IdTypeName]>({
    strategy,
    guarantees,
    source: new HttpKeyedSource({ connection, described, deadlineMs }),
    name,
    toId: toIdOf[as],
    maxStep: described.maxIdsPerRequest,
    deadlineMs,
    onEvent,
  });
}
