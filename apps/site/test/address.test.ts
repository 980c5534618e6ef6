import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf, basePath } from '../src/address.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ids-site-test-'));
});
afterAll(() => rm(root, { recursive: true }));

async function addressFor(
  repository: unknown,
  environment: Record<string, string> = {},
): Promise<ReturnType<typeof addressOf>> {
  await writeFile(join(root, 'package.json'), JSON.stringify({ name: 'ids', repository }));
  return addressOf(root, environment);
}

const ids = { repository: 'https://github.com/Owner/ids', site: 'https://owner.github.io/ids/' };

describe('the address of the site', () => {
  it.each([
    { type: 'git', url: 'git+https://github.com/Owner/ids.git' },
    'https://github.com/Owner/ids',
    'git+ssh://git@github.com/Owner/ids.git',
    'git@github.com:Owner/ids.git',
    'github:Owner/ids',
    'Owner/ids',
  ])('is that of GitHub Pages for the repository %j', async (repository) => {
    expect(await addressFor(repository)).toEqual(ids);
  });

  it('has no path where the repository is the site of its owner', async () => {
    const address = await addressFor('owner/owner.github.io');
    expect(address.site).toBe('https://owner.github.io/');
    expect(basePath(address)).toBe('/');
  });

  it('is unknown without a repository', async () => {
    const address = await addressFor(undefined);
    expect(address).toEqual({});
    expect(basePath(address)).toBe('/');
  });

  it('is what the environment says, which counts more', async () => {
    expect(await addressFor(undefined, { IDS_REPOSITORY: 'Owner/ids' })).toEqual(ids);
    // An action passes a variable that is not set as an empty string.
    expect(await addressFor('Owner/ids', { IDS_REPOSITORY: '', IDS_SITE_URL: '' })).toEqual(ids);
    const own = await addressFor('Owner/ids', { IDS_SITE_URL: 'https://ids.example/docs' });
    expect(own).toEqual({ ...ids, site: 'https://ids.example/docs/' });
    expect(basePath(own)).toBe('/docs/');
  });

  it.each([
    [{ IDS_SITE_URL: 'ids.example' }, 'IDS_SITE_URL must be an address such as'],
    [{ IDS_SITE_URL: 'https://ids.example/?a' }, 'got "https://ids.example/?a"'],
    [{ IDS_REPOSITORY: 'https://gitlab.com/owner/ids' }, 'must be one on GitHub'],
    [{ IDS_REPOSITORY: 'ids' }, 'got "ids"'],
  ])('is refused for %j', async (environment, message) => {
    await expect(addressFor(undefined, environment)).rejects.toThrow(message);
  });
});
