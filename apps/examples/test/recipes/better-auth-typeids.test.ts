import { parseTypeid } from '@ids/encode/typeid';
import { createUuid7Generator } from '@ids/uuid7';
import { betterAuth } from 'better-auth';
import { memoryAdapter } from 'better-auth/adapters/memory';
import { expect, it } from 'vitest';
import { typeIdsOf } from '../../src/recipes/better-auth-typeids.js';

it('better-auth gives each model ids with its own prefix, and refers to them', async () => {
  await using ids = createUuid7Generator();
  type Row = { readonly id: string; readonly userId?: string };
  const tables: Record<string, Row[]> = { members: [], session: [], account: [], verification: [] };
  const auth = betterAuth({
    ...typeIdsOf(ids),
    baseURL: 'http://localhost:3000',
    secret: 'a secret of the test, which is long enough',
    database: memoryAdapter(tables),
    // The prefix is that of the model, whatever its table is called.
    user: { modelName: 'members' },
    emailAndPassword: { enabled: true, sendResetPassword: async () => undefined },
  });
  const before = ids.nextSync();
  const email = 'ada@example.com';
  const { user } = await auth.api.signUpEmail({ body: { email, password: 'correct horse', name: 'Ada' } });
  await auth.api.requestPasswordReset({ body: { email } });
  const after = ids.nextSync();

  const rows = Object.entries(tables).map(([table, made]) => [table, made.map(({ id }) => parseTypeid(id))]);
  const one = (type: string) => [{ type, uuid: expect.any(String) }];
  expect(Object.fromEntries(rows)).toEqual({
    members: one('user'),
    session: one('session'),
    account: one('account'),
    verification: one('verification'),
  });
  for (const { id, userId = user.id } of Object.values(tables).flat()) {
    const { uuid } = parseTypeid(id);
    expect([userId, uuid > before, uuid < after]).toEqual([user.id, true, true]);
  }
});

it('a model of two words has a type of two words', async () => {
  await using ids = createUuid7Generator();
  const generateId = typeIdsOf(ids).advanced?.database?.generateId;
  if (typeof generateId !== 'function') expect.unreachable('a function makes the ids');
  expect(generateId({ model: 'oauthClient' })).toMatch(/^oauth_client_[0-9a-z]{26}$/);
});
