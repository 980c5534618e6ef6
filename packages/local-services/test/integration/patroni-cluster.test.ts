import { afterEach, describe, expect, it, vi } from 'vitest';
import { startPatroniCluster } from '../../src/index.js';

// Starting it takes what CI does not install: `pnpm soak:ha` does that by hand.
describe('startPatroniCluster', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('names the command that installs what it needs, and installs nothing', async () => {
    vi.stubEnv('PATH', '/nowhere');
    await expect(startPatroniCluster()).rejects.toThrow(
      /^no patroni .*apt-get install --no-install-recommends .*patroni/,
    );
  });

  it('refuses a cluster in which nobody could take over', async () => {
    await expect(startPatroniCluster({ nodes: 1 })).rejects.toThrow('nodes 1: at least 2 are accepted');
  });
});
