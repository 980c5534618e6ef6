import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as objectids from '../src/index.js';
import { bundle } from './support/bundle.js';
import { firstNotRising } from './support/issuer-at.js';

describe('where there is no Node', () => {
  // The language itself, and what every browser and edge runtime has besides.
  const context = createContext({ crypto: globalThis.crypto, AbortController });
  const { createObjectIdGenerator } = runInContext(bundle(), context) as typeof objectids;

  it('ids of the layout "random" can be had', () => {
    const ids = createObjectIdGenerator().nextBatchSync(100);
    expect(ids[0]).toMatch(/^[0-9a-f]{24}$/);
    expect(firstNotRising(ids)).toBe(-1);
  });

  it('the layout "machine-pid" is refused, saying why', () => {
    expect(() => createObjectIdGenerator({ layout: 'machine-pid' })).toThrow(
      expect.objectContaining({ code: 'ERR_IDS_CONFIG', message: expect.stringContaining('needs Node.js') }),
    );
  });
});

describe('processes that start from one V8 start-up snapshot', () => {
  const folder = mkdtempSync(join(tmpdir(), 'objectid-snapshot-'));
  const blob = join(folder, 'snapshot.blob');
  beforeAll(() => {
    const script = join(folder, 'build.cjs');
    writeFileSync(
      script,
      `const { createObjectIdGenerator } = ${bundle()};
      const [used, unused] = [createObjectIdGenerator(), createObjectIdGenerator()];
      const ids = used.nextBatchSync(3);
      let refused;
      try { createObjectIdGenerator({ layout: 'machine-pid' }); } catch (error) { refused = error.message; }
      require('node:v8').startupSnapshot.setDeserializeMainFunction(() => {
        ids.push(used.nextSync(), unused.nextSync(), used.nextSync());
        console.log(JSON.stringify({ ids, refused }));
      });`,
    );
    execFileSync(process.execPath, ['--snapshot-blob', blob, '--build-snapshot', script]);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const start = (): { ids: string[]; refused: string } =>
    JSON.parse(execFileSync(process.execPath, ['--snapshot-blob', blob], { encoding: 'utf8' }));

  it('give ids of their own, above those of the process that built it', () => {
    const [first, second] = [start().ids, start().ids];
    expect(first.slice(0, 3)).toEqual(second.slice(0, 3));
    for (const ids of [first, second]) expect(firstNotRising(ids)).toBe(-1);
    const randomParts = [first[0], first[3], second[3]].map((id) => id?.slice(8, 18));
    expect(new Set(randomParts).size).toBe(3);
  });

  it('cannot have the classic layout in it, which would keep the process id of the build', () => {
    expect(start().refused).toContain('cannot be part of a start-up snapshot');
  });
});
