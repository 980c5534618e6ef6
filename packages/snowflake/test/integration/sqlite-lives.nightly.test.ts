import { SQLITE } from '@ids/local-services/dialects';
import { faultTest } from '@ids/local-services/fault-test';
import { describe } from 'vitest';
import { LIMIT_MS, LIVES, live, SLOTS } from '../support/lives.js';
import { outlivePaused } from '../support/paused-process.js';

describe('slots in a file of SQLite', () => {
  faultTest(
    `${LIVES} lives of generators on ${SLOTS} slots repeat no id, and lose no slot for good`,
    () => live(SQLITE),
    LIMIT_MS,
  );

  faultTest('a process that is paused for longer than its window repeats nothing of who got its slot', () =>
    outlivePaused(SQLITE),
  );
});
