import { runKeyedConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { http } from '@ids/http';
import type {} from '@ids/local-services/vitest-setup';
import type { SequenceGroup } from '@ids/segment';
import { afterAll, describe, inject, it } from 'vitest';
import { createFamily } from './support/family.js';
import type { KeyedContext } from './support/keyed-subject.js';
import { serveHere } from './support/serve-in-process.js';

const server = await serveHere();
afterAll(() => server[Symbol.asyncDispose]());

/** By the names of their generators. */
const families = new Map<string, Awaited<ReturnType<typeof createFamily>>>();

async function fresh(group?: SequenceGroup): Promise<KeyedContext> {
  const family = await createFamily(inject('databaseUrl'), group);
  families.set(family.table, family);
  server.generators[family.table] = await family.open();
  return { url: server.url, name: family.table };
}

const claims = { keyed: true, gaps: 'on-fault', discloses: ['volume'] } as const;
runKeyedConformance(
  {
    name: 'http by key',
    module: new URL('./support/keyed-subject.ts', import.meta.url),
    guarantees: createIds([http]).plan({ strategy: 'http', url: server.url, name: 'message', ...claims })
      .guarantees,
    compare: (a, b) => Number(BigInt(a) - BigInt(b)),
    fresh: () => fresh(),
    freshGroup: fresh,
    lockKey: async (context, key) => {
      const family = families.get((context as KeyedContext).name);
      if (family === undefined) throw new TypeError('unreachable: every context has a family');
      return family.lockKey(key);
    },
  },
  { describe, it },
);
