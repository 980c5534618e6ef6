import { describe, expect, it } from 'vitest';
import { Gpid, relationOf } from '../../src/index.js';
import { startScript } from '../support/children.js';

async function workersOfNewPrimary(): Promise<Gpid[]> {
  await using primary = startScript(new URL('../support/cluster-primary.ts', import.meta.url));
  return JSON.parse(await primary.line()).map((text: string) => Gpid.parse(text));
}

describe('cluster workers, which share a port', () => {
  it.runIf(process.platform === 'linux')(
    'live side by side, and come after those of an earlier primary',
    async () => {
      const [first, second] = await workersOfNewPrimary();
      const [later] = await workersOfNewPrimary();
      if (!first || !second || !later) throw new Error('a worker said nothing');
      expect(first.endpoint).toBe(second.endpoint);
      expect(relationOf(first, second)).toBe('different');
      expect(relationOf(first, later)).toBe('restarted');
    },
  );
});
