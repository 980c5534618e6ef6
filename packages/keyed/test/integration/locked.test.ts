import { SQL_CLIENTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect } from 'vitest';
import { hold, openKeyDatabase } from './key-database.js';

/** Calls for other keys that are made while somebody holds a lock. */
const CALLS = 300;

describe.each(SQL_CLIENTS)('a key that somebody else holds in an open transaction on $server', (kind) => {
  faultTest('is waited for, while all other keys go on, also new ones', async () => {
    const { session, keys, open } = await openKeyDatabase(kind);
    const generator = await open();
    await generator.next('held');
    const release = await injectFault(() =>
      hold(session, `SELECT 1 FROM ${keys} WHERE family = 'message' AND sequence_key = 'held' FOR UPDATE`),
    );
    let arrived = false;
    const held = generator.nextBatch('held', 2).then((ids) => {
      arrived = true;
      return ids;
    });
    for (let i = 0; i < CALLS; i += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, j) => generator.next(`other:${(i + j) % 40}`)));
    }
    expect(arrived, 'an id of the locked key').toBe(false);
    await release?.();
    expect(await held).toEqual([2, 3]);
    await generator.close();
  });

  faultTest('names the key and the lock in the error of a call whose time is over', async () => {
    const { session, keys, open } = await openKeyDatabase(kind);
    const generator = await open({ deadlineMs: 400 });
    await generator.next('held');
    const release = await injectFault(() => hold(session, kind.lockRows(keys)));
    await expect(generator.next('held')).rejects.toMatchObject({
      code: 'ERR_IDS_TIMEOUT',
      message: expect.stringMatching(/key "held".*somebody else has locked its row/),
    });
    await release?.();
    expect(await generator.next('held')).toBeGreaterThan(1);
    await generator.close();
  });

  faultTest('does not stop the others while it is being made, and is made once', async () => {
    const { session, keys, open } = await openKeyDatabase(kind);
    const generator = await open();
    const release = await injectFault(() =>
      hold(session, `INSERT INTO ${keys} (family, sequence_key, max_id) VALUES ('message', 'born', 7)`),
    );
    let arrived = false;
    const born = generator.next('born').then((id) => {
      arrived = true;
      return id;
    });
    const others = await Promise.all(Array.from({ length: 50 }, (_, i) => generator.next(`new:${i}`)));
    expect(others).toEqual(others.map(() => 1));
    expect(arrived, 'an id of the key that is being made').toBe(false);
    await release?.();
    // On Postgres, its row names no reservation of ours.
    expect(await born).toBeGreaterThan(7);
    await generator.close();
  });
});
