import { createUuid7Generator, isUuid7 } from '@ids/uuid7';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { expect, it } from 'vitest';
import { idsOf } from '../../src/recipes/better-auth.js';

it('better-auth gives users, accounts and sessions ids of the generator', async () => {
  await using ids = createUuid7Generator();
  const tables = { user: [], session: [], account: [], verification: [] } as Record<string, { id: string }[]>;
  const auth = betterAuth({
    ...idsOf(ids),
    baseURL: 'http://localhost:3000',
    secret: 'a secret of the test, which is long enough',
    database: memoryAdapter(tables),
    emailAndPassword: { enabled: true },
  });
  const before = ids.nextSync();
  const { user } = await auth.api.signUpEmail({
    body: { email: 'ada@example.com', password: 'correct horse', name: 'Ada' },
  });
  const after = ids.nextSync();

  const made = Object.values(tables).flatMap((rows) => rows.map(({ id }) => id));
  expect(made).toContain(user.id);
  expect(made).toHaveLength(3);
  for (const id of made) expect([isUuid7(id), id > before, id < after]).toEqual([true, true, true]);
});
