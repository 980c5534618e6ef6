import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { faultTest, injectFault } from '../../src/fault-test.js';
import { startRedis } from '../../src/index.js';
import { processIdentity } from '../../src/watchdog.js';
import { redisClient } from './connections.js';

describe('startRedis', () => {
  it('gives a server that answers, on loopback only, with a version', async () => {
    await using redis = await startRedis();
    const client = redisClient(redis.url);
    expect(await client.ping()).toBe('PONG');
    expect(await client.config('GET', 'bind')).toEqual(['bind', '127.0.0.1']);
    expect(await client.info('server')).toContain(`redis_version:${redis.version}\r\n`);
  });

  faultTest('keeps nothing over a kill by default, and what was saved with SAVE', async () => {
    await using redis = await startRedis();
    const before = redis.pid;
    const client = redisClient(redis.url);
    await client.set('saved', '1');
    await client.save();
    await client.set('unsaved', '1');
    await injectFault(() => redis.kill());
    expect(processIdentity(before)).toBeUndefined();
    await injectFault(() => redis.restart());
    expect(redis.pid).not.toBe(before);
    const again = redisClient(redis.url);
    expect(await again.mget('saved', 'unsaved')).toEqual(['1', null]);
  });

  faultTest('takes options above the defaults, so that an append-only file survives a stop', async () => {
    await using redis = await startRedis({ args: ['--appendonly', 'yes'] });
    await redisClient(redis.url).set('k', 'v');
    await injectFault(() => redis.stop());
    expect(processIdentity(redis.pid)).toBeUndefined();
    await injectFault(() => redis.restart());
    expect(await redisClient(redis.url).get('k')).toBe('v');
  });

  faultTest('gives no answer while paused and the missing one afterwards', async () => {
    await using redis = await startRedis();
    const client = redisClient(redis.url);
    await client.ping();
    await injectFault(() => redis.pause());
    const answer = client.ping();
    // What a paused server cannot do within the time in which another one starts and answers.
    await using other = await startRedis();
    expect(await Promise.race([answer, redisClient(other.url).echo('other')])).toBe('other');
    await injectFault(() => redis.resume());
    expect(await answer).toBe('PONG');
  });

  it('can be stopped and closed while paused', async () => {
    const redis = await startRedis();
    redis.pause();
    await redis.stop();
    await redis.restart();
    redis.pause();
    await redis.close();
    expect(processIdentity(redis.pid)).toBeUndefined();
    expect(existsSync(redis.dir)).toBe(false);
  });

  it('leaves a folder in place that it was given', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'given-'));
    onTestFinished(() => rm(dir, { recursive: true }));
    const first = await startRedis({ dir });
    await redisClient(first.url).set('k', 'v');
    await redisClient(first.url).save();
    await first.close();
    await using second = await startRedis({ dir });
    expect(await redisClient(second.url).get('k')).toBe('v');
  });

  it('says what the server printed when it does not start, and leaves nothing', async () => {
    await expect(startRedis({ args: ['--no-such-option', '1'] })).rejects.toThrow(/no-such-option/);
  });

  it('refuses a port that is taken instead of taking the other server for its own', async () => {
    await using first = await startRedis();
    await expect(startRedis({ port: first.port })).rejects.toThrow(/address already in use/i);
    expect(await redisClient(first.url).ping()).toBe('PONG');
  });

  it('starts with a password among its options', async () => {
    await using redis = await startRedis({ args: ['--requirepass', 'p'] });
    expect(await redisClient(redis.url.replace('://', '://:p@')).ping()).toBe('PONG');
  });
});
