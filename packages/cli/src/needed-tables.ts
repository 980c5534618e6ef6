import type { ConfiguredGenerator } from '@ids/config';
import type { SequenceGroup } from '@ids/segment';
import { DEFAULT_TABLE } from '@ids/segment/sql';
import { sequenceOf } from './sequence-place.js';

/** A sequence that a generator of the config takes its ids from. */
export interface NeededSequence {
  readonly name: string;
  readonly group: SequenceGroup | undefined;
  /** What may hold ids already, `orders.id`. */
  readonly column: string | undefined;
}

/** A segment table, and the sequences that generators of the config need in it. */
export interface NeededTable {
  /** A `postgres://` URL or a pg pool. */
  readonly database: unknown;
  readonly table: string;
  /** Whether a generator writes the grant log. */
  readonly log: boolean;
  readonly sequences: readonly NeededSequence[];
  /** The names of the generators that need it. */
  readonly generators: readonly string[];
}

/** What generators need in databases, each table and each sequence once. */
export function neededTables(generators: Iterable<ConfiguredGenerator>): NeededTable[] {
  const tables: NeededTable[] = [];
  for (const generator of generators) {
    const place = sequenceOf(generator);
    if (place === undefined) continue;
    const { database, name, table = DEFAULT_TABLE } = place;
    const { log, group } = generator.options as { readonly log?: boolean; readonly group?: SequenceGroup };
    const index = tables.findIndex((known) => known.database === database && known.table === table);
    const known = tables[index];
    const others = known?.sequences.filter((sequence) => sequence.name !== name) ?? [];
    const same = known?.sequences.find((sequence) => sequence.name === name);
    const column = same?.column ?? generator.column;
    const needed = {
      database,
      table,
      log: known?.log === true || log === true,
      sequences: [...others, { name, group: same?.group ?? group, column }],
      generators: [...(known?.generators ?? []), generator.name],
    };
    tables.splice(index < 0 ? tables.length : index, 1, needed);
  }
  return tables;
}
