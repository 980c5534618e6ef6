import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect } from 'vitest';
import { createSegmentInprocGenerator } from '../../src/index.js';
import { openSession } from '../support/session.js';
import { createContext } from '../support/subject.js';

describe.each(SQL_DIALECTS)('segment-inproc on $server', (kind) => {
  faultTest(
    'gives callers up at their deadline while its row is locked, and goes on once it is free',
    async () => {
      const database = await kind.shared();
      const session = openSession(kind, database);
      const { table, name } = await createContext(database, uniqueName('locked'), 'number');
      const options = { database, table, name, minStep: 10, maxStep: 10, deadlineMs: 2_000 } as const;
      await using generator = await createSegmentInprocGenerator(options);
      const ids = await generator.nextBatch(10);
      const unlock = await injectFault(() => session.hold(kind.lockRows(table)));
      // The segment that was fetched ahead may be here or be locked out.
      let error: unknown;
      while (error === undefined && ids.length < 100) {
        error = await generator.next().then(
          (id) => void ids.push(id),
          (reason: unknown) => reason,
        );
      }
      expect(error).toMatchObject({ code: 'ERR_IDS_TIMEOUT', retryable: true });
      expect(generator.health()).toMatchObject({ status: 'down', remaining: 0 });
      await unlock?.();
      for (let later: number | undefined; later === undefined; ) {
        later = await generator.next().catch(() => undefined);
        if (later !== undefined) ids.push(later);
      }
      ids.push(...(await generator.nextBatch(50)));
      expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
    },
  );
});
