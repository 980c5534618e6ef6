import { IdError } from '@ids/core';
import type { Origin, Reigns } from '@ids/store';

/** How many reigns are remembered: more failovers than one process, or one row, sees in a day. */
const REMEMBERED = 16;

/**
 * What one dispenser knows about the history of its sequence. A deposed server cannot tell that it was
 * deposed: its row names its own reign, and nothing of the one that followed. A dispenser that has seen a row
 * of the later reign uses nothing of the former one any more: what is reserved there, the successor may have
 * reserved as well.
 */
export class KnownReigns {
  readonly #name: string;
  #realm: string | undefined;
  #reigns: Reigns = [];

  constructor(name: string, origin: Origin = {}) {
    this.#name = name;
    this.accept(origin);
  }

  /** The latest one first. */
  get reigns(): Reigns {
    return this.#reigns;
  }

  /**
   * Checks where a segment comes from, and remembers it. Throws
   *
   * - `ERR_IDS_UNAVAILABLE` if that reign is over,
   * - `ERR_IDS_REALM` if it is another sequence of the same name.
   *
   * The order of answers does not matter: one of a former reign that comes late is refused, too.
   */
  accept({ realm, reigns = [] }: Origin): void {
    if (realm !== undefined && this.#realm !== undefined && realm !== this.#realm) {
      throw createdAnew(this.#name, this.#realm, realm);
    }
    const [theirs] = reigns;
    if (
      theirs !== undefined &&
      !this.#isFollowedBy(reigns) &&
      (this.#knows(theirs) || this.#isEarlier(reigns))
    ) {
      throw supersededReign(this.#name, theirs, this.#reigns[0]);
    }
    // If neither knows the other, a reign was lost with its commits, or a server was restored. The store has
    // skipped what it may have lost, and what we knew before is over.
    this.#add(reigns);
    this.#realm ??= realm;
  }

  /**
   * Remembers what another process knew. That may be old, so if neither of the two knows the other's reign,
   * only a later timeline counts.
   */
  learn(reigns: Reigns): void {
    const later = isEarlierTimeline(this.#reigns[0], reigns[0]) && !this.#knows(reigns[0]);
    if (later || this.#isFollowedBy(reigns)) this.#add(reigns);
  }

  /** A row that was written in our reign as well is of a later one, even if it shows more than we knew. */
  #isFollowedBy(reigns: Reigns): boolean {
    const [ours] = this.#reigns;
    return ours === undefined || reigns.includes(ours);
  }

  #knows(name = ''): boolean {
    return this.#reigns.includes(name);
  }

  /** Whether it is of an earlier timeline, and nobody has accepted it since the two went apart. */
  #isEarlier(reigns: Reigns): boolean {
    const accepted = reigns.some((name) => name.includes('!') && !this.#knows(name));
    return !accepted && isEarlierTimeline(reigns[0], this.#reigns[0]);
  }

  #add(reigns: Reigns): void {
    const [theirs] = reigns;
    if (theirs === undefined || theirs === this.#reigns[0]) return;
    this.#reigns = [...new Set([...reigns, ...this.#reigns])].slice(0, REMEMBERED);
  }
}

const NAME = /^([0-9a-f]{8})\.([0-9A-F]{8})[-!]/;

/** Whether two reigns are of one system, and the first one of an earlier timeline. */
function isEarlierTimeline(one = '', other = ''): boolean {
  const [, system, timeline = ''] = NAME.exec(one) ?? [];
  const [, otherSystem, later = ''] = NAME.exec(other) ?? [];
  return system !== undefined && system === otherSystem && timeline < later;
}

function supersededReign(name: string, theirs = '', ours = ''): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    `sequence ${JSON.stringify(name)}: the server that answered is in the reign ${theirs}, which the reign ${ours} ` +
      'has followed: it is a former primary that still answers, or a copy of one. Nothing of it is used. If it is ' +
      'to remain the primary, set a floor there with setFloor and checked: true',
  );
}

function createdAnew(name: string, before: string, now: string): IdError {
  return new IdError(
    'ERR_IDS_REALM',
    `sequence ${JSON.stringify(name)} is another one than when this generator was opened (realm ${now}, not ${before}): ` +
      'its row was deleted and created anew, or the connection leads to another database',
  );
}
