import type { Guarantees, IdGenerator } from '@ids/core';
import type { ReferenceName } from '../references/references.js';
import type { TicketContext } from '../references/ticket-client.js';

/** A generator that is broken on purpose, in one way. */
export interface Mutant {
  /** What it does wrong: "reverses its batches". */
  readonly name: string;
  /** The name of the case that must notice. */
  readonly fails: string;
  /** What the case must say, so that it fails for this reason and not for another. */
  readonly saying: RegExp;
  /** The reference whose guarantees it claims to keep. */
  readonly like: ReferenceName;
  /** Claims in place of the reference's own. */
  readonly claims?: Partial<Guarantees>;
  open(context: TicketContext): Promise<IdGenerator>;
}
