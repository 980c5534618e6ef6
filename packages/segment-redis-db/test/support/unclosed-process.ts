import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { createSegmentRedisDbGenerator } from '../../src/index.js';
import type { Context } from './subject.js';

/**
 * What a process does that never closes its generator: it prints an id, and with `again` what
 * becomes of a later call.
 */
export interface UnclosedPlan {
  readonly context: Context;
  /** Whether to ask again, once the parent has sent a message. */
  readonly again: boolean;
}

const print = (value: unknown): void => void writeSync(1, `${value}\n`);

const { context, again } = JSON.parse(process.argv[2] ?? '') as UnclosedPlan;
const generator = await createSegmentRedisDbGenerator(context);
print(await generator.next());
if (again) {
  process.send?.('asked once');
  await once(process, 'message');
  // Not awaited: nothing but the call itself may keep this process alive.
  generator.next().then(print, ({ code }) => print(code));
}
process.disconnect?.();
