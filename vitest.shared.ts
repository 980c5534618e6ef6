import { defineProject, type UserWorkspaceConfig } from 'vitest/config';

/**
 * What every package's tests share. Integration and conformance tests open real servers and start child
 * processes, so they get room to do so; nothing is retried and nothing is skipped for time. With `services`, one Redis
 * and one Postgres run for all of them: `inject('redisUrl')`, `inject('databaseUrl')`.
 */
export function packageTests(
  name: string,
  { services = false }: { readonly services?: boolean } = {},
): UserWorkspaceConfig {
  return defineProject({
    test: {
      name,
      globalSetup: services ? ['@ids/local-services/vitest-setup'] : [],
      include: ['test/**/*.test.ts'],
      testTimeout: 60_000,
      hookTimeout: 120_000,
      retry: 0,
    },
  });
}
