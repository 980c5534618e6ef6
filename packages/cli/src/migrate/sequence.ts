import { createMissing } from '../commands/apply.js';
import { assertFits, type Migration, raiseTo, refused, type Step } from './migration.js';

/** How far the sequence of the generator is reserved; undefined if there is none yet. */
export async function reservedOf({ database, entry, needed }: Migration): Promise<bigint | undefined> {
  if ((await needed.store.missing(database)).includes('table')) return undefined;
  return await entry.store.position?.standsAt(database);
}

/** What is known of the new sequence, and of the old numbers. */
export interface Ranges {
  readonly reserved: bigint | undefined;
  /** The last number that the database gave. */
  readonly last: bigint;
  /** Above which the new IDs have to begin. */
  readonly floor: bigint;
  /** Whether nothing was reserved ever, so that no process holds IDs. */
  readonly unused: boolean;
  readonly done: boolean;
}

/**
 * Creates the new sequence above the floor, or raises it. Who already holds IDs of it keeps them: so an old
 * process must not reach them any more.
 */
export function createStep(migration: Migration, { reserved, last, floor, unused, done }: Ranges): Step {
  const { entry, needed, name } = migration;
  return {
    do: 'create',
    done,
    text: `let the sequence "${entry.name}" begin above ${floor}`,
    async take() {
      assertFits(migration, floor);
      if (reserved !== undefined && reserved > last && reserved < floor && !unused) {
        const why = `its sequence is reserved up to ${reserved}, and the database gave numbers up to ${last}: a process may hold IDs in between, which old processes would reach. Stop the processes of ${name}, delete what Redis holds of them, and run npx --no -- ids floor ${name} ${floor}`;
        throw refused(`generators.${name}`, why);
      }
      for await (const _step of createMissing(needed, { startAfter: Number(floor) }));
      await raiseTo(migration, floor);
    },
  };
}
