import type { KeyedIdGenerator } from '@ids/core';
import { createKeyedSegmentInprocGenerator } from '@ids/segment-inproc';
import { and, eq } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { bigint, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

const issues = pgTable(
  'issue',
  {
    project: text().notNull(),
    number: bigint({ mode: 'number' }).notNull(),
    title: text().notNull(),
  },
  (issue) => [primaryKey({ columns: [issue.project, issue.number] })],
);

const PROJECT = /^[A-Z][A-Z0-9]{1,9}$/;

export function openIssueNumbers(database: string): Promise<KeyedIdGenerator<number>> {
  return createKeyedSegmentInprocGenerator({
    name: 'issue',
    database,
    order: 'real-time',
    keyed: true,
    accept: (project) => PROJECT.test(project),
  });
}

/** Creates an issue of each title. Resolves with their keys: `PROJ-123`, `PROJ-124`. */
export async function createIssues(
  db: NodePgDatabase,
  numbers: KeyedIdGenerator<number>,
  project: string,
  titles: readonly string[],
): Promise<string[]> {
  const ids = await numbers.nextBatch(project, titles.length);
  const rows = ids.map((number, i) => ({ project, number, title: titles[i] ?? '' }));
  if (rows.length > 0) await db.insert(issues).values(rows);
  return ids.map((number) => `${project}-${number}`);
}

/** The issue with this key; undefined without one. */
export async function findIssue(db: NodePgDatabase, key: string) {
  // Nothing else: "PROJ-0x7B" would be the number 123 too.
  const [, project, number] = /^([A-Z][A-Z0-9]{1,9})-([1-9][0-9]{0,14})$/.exec(key) ?? [];
  if (project === undefined || number === undefined) return undefined;
  const [issue] = await db
    .select()
    .from(issues)
    .where(and(eq(issues.project, project), eq(issues.number, Number(number))));
  return issue;
}
