import type { IdGenerator } from '@ids/core';
import { createHttpGenerator, HttpSegmentSource } from '@ids/http';
import type { SegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import type { ServedGenerators } from '@ids/server';
import { checkedSource } from '../table/checked-source.js';
import type { SegmentTable } from '../table/segment-table.js';
import type { Owner } from '../time/scheduler.js';
import type { IdServers } from './id-servers.js';

const STEPS = { minStep: 10, maxStep: 100 };

/** The generator of a sequence whose ids are in real-time order. */
function inOrder(name: string): string {
  return `${name} in order`;
}

/** What a server serves of the sequences of a table: ranges, and single ids in real-time order. */
export async function servedSequences(
  table: SegmentTable,
  sequences: readonly string[],
  server: Owner,
): Promise<ServedGenerators> {
  const source = table.sourceFor(server);
  const served = sequences.map(async (name) => {
    const { realm } = await source.describe(name);
    const generator = await createSegmentInprocGenerator({ name, source, ...STEPS });
    const ordered = await createSegmentInprocGenerator({ name, source, order: 'real-time' });
    return {
      [name]: { generator, realm, lease: { source, sequence: name } },
      [inOrder(name)]: { generator: ordered, realm },
    };
  });
  return Object.assign({}, ...(await Promise.all(served)));
}

/** The source of a process that leases ranges of a table from servers. */
export function leasedSource(servers: IdServers, table: SegmentTable, owner: Owner): SegmentSource {
  const source = new HttpSegmentSource(servers.wayOf(owner));
  const broken = (problem: string) => void table.broken.push(`${owner.name}: ${problem}`);
  return checkedSource(source, broken, new WeakMap());
}

/** A generator of a process whose ids servers issue, in real-time order. */
export function issuedIds(
  servers: IdServers,
  owner: Owner,
  name: string,
  deadlineMs: number,
): Promise<IdGenerator<number>> {
  return createHttpGenerator({
    ...servers.wayOf(owner),
    name: inOrder(name),
    order: 'real-time',
    deadlineMs,
  });
}
