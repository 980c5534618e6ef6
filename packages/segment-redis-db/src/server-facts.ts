import { createHash } from 'node:crypto';
import { driverOf, type RedisClient } from './open-redis.js';
import { evaluate, type Script } from './scripts.js';

/** What a server says of itself. */
export interface ServerFacts {
  /** Its clock, in milliseconds since the epoch. */
  readonly now: number;
  /** The reply of INFO. */
  readonly info: string;
}

const text = `
local time = redis.call('TIME')
return { time[1], time[2], redis.call('INFO') }`;
const facts: Script = { name: 'facts', sha1: createHash('sha1').update(text).digest('hex'), text };

/**
 * Asks the server that holds `key`, which any client leads to in the same way. Needs no rights but those of a
 * generator. Rejects like one if Redis cannot be reached.
 */
export async function serverFacts(redis: RedisClient, key: string): Promise<ServerFacts> {
  const [seconds, micros, info] = (await evaluate(driverOf(redis), facts, key)) as string[];
  return { now: Number(seconds) * 1_000 + Number(micros) / 1_000, info: String(info) };
}
