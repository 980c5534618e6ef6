import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { afterAll, describe, it } from 'vitest';
import { segmentInproc } from '../src/index.js';
import { createContext, type OrderedContext } from './support/subject.js';

const folder = mkdtempSync(join(tmpdir(), 'ids-inproc-kit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;

const freshContext = () => createContext(`sqlite:${join(folder, `${++files}.db`)}`, 'id_segment', 'number');
const options = { strategy: 'segment-inproc', name: 'order', database: 'sqlite:ids.db' } as const;
const compare = (a: string, b: string) => Number(BigInt(a) - BigInt(b));
const module = new URL('./support/subject.ts', import.meta.url);

runConformance(
  {
    name: 'segment-inproc in a file of SQLite',
    module,
    guarantees: createIds([segmentInproc]).plan(options).guarantees,
    compare,
    fresh: freshContext,
  },
  { describe, it },
);

runConformance(
  {
    name: 'segment-inproc in real-time order in a file of SQLite',
    module,
    guarantees: createIds([segmentInproc]).plan({ ...options, order: 'real-time' }).guarantees,
    compare,
    fresh: async (): Promise<OrderedContext> => ({ ...(await freshContext()), order: 'real-time' }),
  },
  { describe, it },
);
