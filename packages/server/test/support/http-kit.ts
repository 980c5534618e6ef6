import { runConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { http } from '@ids/http';
import { uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-setup';
import { afterAll, describe, inject, it } from 'vitest';
import { createTable } from './sequence.js';
import { serveHere } from './serve-in-process.js';
import type { Context } from './subject.js';

type Options =
  | { readonly order: 'none' | 'real-time'; readonly gaps: 'on-restart' | 'on-fault' }
  | { readonly mode: 'segments'; readonly maxIdsLost?: number | undefined };

/** Runs the kit on clients of a server of their own, for each of these options. */
export async function runHttpKit(subjects: Readonly<Record<string, Options>>): Promise<void> {
  const server = await serveHere();
  const table = await createTable(inject('databaseUrl'), uniqueName('http'));
  afterAll(() => server[Symbol.asyncDispose]());
  for (const [name, options] of Object.entries(subjects)) {
    const given = 'order' in options ? { ...options, discloses: ['volume'] as const } : options;
    const served = 'order' in options && options.order === 'real-time' ? 'real-time' : 'increasing';
    runConformance(
      {
        name,
        module: new URL('./subject.ts', import.meta.url),
        guarantees: createIds([http]).plan({ strategy: 'http', url: server.url, name: 'order', ...given })
          .guarantees,
        compare: (a, b) => Number(BigInt(a) - BigInt(b)),
        fresh: async (): Promise<Context> => {
          const sequence = uniqueName('order');
          await table.createSequence(sequence);
          await server.serveSequence(table, sequence, served);
          return { url: server.url, name: sequence, ...options };
        },
      },
      { describe, it },
    );
  }
}
