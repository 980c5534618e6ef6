import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest } from '@ids/local-services/fault-test';
import { describe } from 'vitest';
import { LIMIT_MS, LIVES, live, SLOTS } from '../support/lives.js';

describe.each(SQL_DIALECTS)('slots on $server', (kind) => {
  faultTest(
    `${LIVES} lives of generators on ${SLOTS} slots repeat no id, and lose no slot for good`,
    () => live(kind),
    LIMIT_MS,
  );
});
