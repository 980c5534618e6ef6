import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyedConformanceSubject, runKeyedConformance } from '@ids/conformance';
import { createIds } from '@ids/core';
import { createMysqlDatabase, uniqueName } from '@ids/local-services';
import type {} from '@ids/local-services/vitest-mariadb';
import type {} from '@ids/local-services/vitest-setup';
import type { SequenceGroup } from '@ids/segment';
import { afterAll, describe, inject, it } from 'vitest';
import { segmentInproc } from '../../src/index.js';
import { createKeyedContext, type KeyedContext, lockKey } from './keyed-subject.js';

const contexts = {
  Postgres: (group?: SequenceGroup) =>
    createKeyedContext(inject('databaseUrl'), uniqueName('segment_inproc'), group),
  MariaDB: async (group?: SequenceGroup) =>
    createKeyedContext(await createMysqlDatabase(inject('mysqlUrl')), 'id_segment', group),
  SQLite: async (group?: SequenceGroup) => {
    const folder = mkdtempSync(join(tmpdir(), 'ids-keyed-kit-'));
    folders.push(folder);
    return createKeyedContext(`sqlite:${join(folder, 'ids.db')}`, 'id_segment', group);
  },
};

/** Of the files of SQLite. */
const folders: string[] = [];

/** Runs the kit on keys in a database; with `group`, on keys that restart. */
export function runKeyedKit(where: keyof typeof contexts, group?: SequenceGroup): void {
  afterAll(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const fresh = contexts[where];
  const options = { strategy: 'segment-inproc', name: 'order', database: inject('databaseUrl') } as const;
  const { guarantees } = createIds([segmentInproc]).plan({
    ...options,
    order: 'real-time',
    keyed: true,
    ...(group && { group }),
  });
  const subject: KeyedConformanceSubject<KeyedContext> = {
    name: `segment-inproc by key ${group ? 'with groups ' : ''}on ${where}`,
    module: new URL('./keyed-subject.ts', import.meta.url),
    guarantees,
    compare: (a, b) => Number(BigInt(a) - BigInt(b)),
    fresh: () => fresh(group),
    ...(group === undefined && { freshGroup: (other: SequenceGroup) => fresh(other) }),
    // Only the whole file of SQLite can be locked.
    ...(where !== 'SQLite' && { lockKey }),
  };
  runKeyedConformance(subject, { describe, it });
}
