import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { counter } from './counter.mjs';

/** Slow in as many processes as the first round has, like a machine that was busy for a while. */
function slowAtFirst() {
  const dir = process.env.IDS_PLANTED_DIR;
  writeFileSync(join(dir, String(process.pid)), '');
  return readdirSync(dir).length <= 5 ? 3_000 : 0;
}

export const cases = [counter('counter', slowAtFirst)];
