import { setImmediate } from 'node:timers/promises';
import { MemorySegmentSource } from '@ids/segment';
import { createSegmentRedisDbGenerator } from '../../src/index.js';

/** A child process whose listener fails at each event as `how` says; prints its ids before it ends. */
export type FailingListener = 'throws' | 'rejects' | 'rejects later';

const [how, redis, keyPrefix] = JSON.parse(process.argv[2] ?? '') as [FailingListener, string, string];

const generator = await createSegmentRedisDbGenerator({
  name: 'order',
  redis,
  keyPrefix,
  source: new MemorySegmentSource({ order: {} }),
  minStep: 10,
  maxStep: 10,
  onEvent: how === 'throws' ? fail : failAsync,
});
const ids = [...(await generator.nextBatch(25)), await generator.next()];
await generator.close();
// An unhandled rejection ends a process before this.
await setImmediate();
console.log(JSON.stringify(ids));

function fail({ type }: { readonly type: string }): void {
  throw new Error(`the listener fails at ${type}`);
}

async function failAsync(event: { readonly type: string }): Promise<void> {
  if (how === 'rejects later') await setImmediate();
  fail(event);
}
