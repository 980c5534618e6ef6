import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Duplicate, UniquenessResult } from '../../schema/case.js';
import type { Job } from '../../worker/job.js';

/** More than any process issues: a call is `process * INDEXES + index` in the files. */
export const INDEXES = 2 ** 32;

export interface CheckRequest {
  /** One per process that issued ids: a line for each id, with a tab and its call. */
  readonly paths: readonly string[];
  /** Where the sort may keep what does not fit into memory. */
  readonly folder: string;
}

/** `records`: the ids that were compared. An id that was issued three times counts as two duplicates. */
interface CheckAnswer extends Pick<UniquenessResult, 'duplicates' | 'examples'> {
  readonly records: number;
}

const MAX_EXAMPLES = 10;
const MEMORY = '256M';

/**
 * Compares all ids in full: `sort` (POSIX) brings those that are equal together, in the order of their calls,
 * and needs no more memory for more of them.
 */
export async function findDuplicates({ paths, folder }: CheckRequest): Promise<CheckAnswer> {
  // By bytes, not as a language sorts.
  const env = { ...process.env, LC_ALL: 'C' };
  const sort = spawn('sort', ['-S', MEMORY, '-T', folder, ...paths], { env });
  const ended = Promise.all([text(sort.stderr), once(sort, 'close')]);
  ended.catch(() => {});
  const found = { records: 0, duplicates: 0, examples: [] as Duplicate[] };
  let last: readonly string[] = [];
  for await (const line of createInterface({ input: sort.stdout })) {
    const [id = '', call = ''] = line.split('\t');
    found.records++;
    if (id !== last[0]) last = [id, call];
    else {
      found.duplicates++;
      const example = { id, first: issueOf(last[1]), again: issueOf(call) };
      if (found.examples.length < MAX_EXAMPLES) found.examples.push(example);
    }
  }
  const [said, [code]] = await ended;
  if (code !== 0) throw new Error(`sort ended with ${code}: ${said.trim()}`);
  return found;
}

function issueOf(call: string | undefined): Duplicate['first'] {
  return { process: Math.floor(Number(call) / INDEXES), index: Number(call) % INDEXES };
}

/** Needs no case: the files hold all ids. */
export const checkJob: Job<CheckRequest, CheckAnswer> = {
  module: import.meta.url,
  name: 'checkJob',
  open: async (request) => ({ run: () => findDuplicates(request) }),
};
