import { spawnSync } from 'node:child_process';
import { fetchDebianPackage } from './debian-package.js';
import { findOnPath } from './owned-process.js';

export interface RedisBinary {
  readonly command: string;
  /** Such as `7.0.15`. */
  readonly version: string;
  /** Where its shared libraries are, if they are not installed. */
  readonly env: Readonly<Record<string, string>>;
}

const REDIS = {
  name: 'redis-server',
  executable: 'usr/bin/redis-server',
  elsewhere: { brew: 'redis', apk: 'redis' },
  instead: 'set REDIS_URL to a running Redis',
};

let found: Promise<RedisBinary> | undefined;

/**
 * `redis-server` on PATH; otherwise, on Debian and Ubuntu, the distribution's package, unpacked into a cache
 * folder.
 */
export function redisBinary(): Promise<RedisBinary> {
  found ??= findRedis().catch((error: unknown) => {
    found = undefined;
    throw error;
  });
  return found;
}

async function findRedis(): Promise<RedisBinary> {
  const installed = findOnPath('redis-server');
  const { command, env } = installed ? { command: installed, env: {} } : await fetchDebianPackage(REDIS);
  const { status, stdout, stderr, error } = spawnSync(command, ['--version'], {
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
  });
  const version = /\bv=(\S+)/.exec(stdout ?? '')?.[1];
  if (status !== 0 || !version) {
    const hint = installed
      ? 'set REDIS_URL to use another server'
      : 'remove the folder to have it fetched again';
    throw new Error(`${command} does not run (${error?.message ?? stderr.trim()}): ${hint}`);
  }
  return { command, version, env };
}
