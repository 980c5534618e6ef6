import { IdError } from '@ids/core';
import { isWithin, type Origin, type Reigns } from '@ids/store';
import { DEFAULT_REFUSE_MS, RefusalClock } from './refusal-clock.js';
import { type FormerPrimary, SequenceMovedError } from './segment-source.js';

/** How many reigns are remembered: more failovers than one process, or one row, sees in a day. */
const REMEMBERED = 16;

/** How often the reign of a row may change while one reservation is made. */
const ATTEMPTS = 5;

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
  /**
   * The reigns that the row should name: as it did when it was last accepted, or as others saw it since.
   * Undefined if it names none, or nobody knows.
   */
  #expected: Reigns | undefined;
  /** The greatest id that was seen in a row of those reigns. */
  #reached = 0;
  readonly #clock: RefusalClock;
  readonly #advice: Advice;

  /**
   * `origin` and `maxId`: what is known so far. `refuseMs`: how long a former primary is refused. `advice`:
   * what an operator should do then.
   */
  constructor(
    name: string,
    { maxId = 0, ...origin }: Origin & { readonly maxId?: number } = {},
    refuseMs = DEFAULT_REFUSE_MS,
    advice: Advice = 'floor',
  ) {
    this.#name = name;
    this.#advice = advice;
    this.#clock = new RefusalClock(refuseMs);
    this.accept(origin, maxId);
  }

  /** The latest one first. */
  get reigns(): Reigns {
    return this.#reigns;
  }

  /** What is needed to reinstate the former primary that was refused, if that was for long enough. */
  get reinstatable(): FormerPrimary | undefined {
    const within = this.#clock.outlasted;
    if (within === undefined) return undefined;
    const follows = this.#reigns.filter((name) => !within.reigns?.includes(name));
    return { within, follows, floor: this.#reached };
  }

  /**
   * Checks where a segment up to `maxId` comes from, and remembers it. Throws
   *
   * - `ERR_IDS_UNAVAILABLE` if that reign is over,
   * - `ERR_IDS_REALM` if it is another sequence of the same name.
   *
   * The order of answers does not matter: one of a former reign that comes late is refused, too.
   */
  accept({ realm, reigns }: Origin, maxId = 0): void {
    this.#acceptRealm(realm);
    const theirs = reigns?.[0];
    if (
      theirs !== undefined &&
      !this.#isFollowedBy(reigns) &&
      (this.#knows(theirs) || this.#isEarlier(reigns))
    ) {
      this.#clock.refused({ realm, reigns });
      throw new SupersededReignError(this.#name, theirs, this.#reigns[0], this.#advice);
    }
    // If neither knows the other, a reign was lost with its commits, or a server was restored. The store has
    // skipped what it may have lost, and what we knew before is over.
    this.#add(reigns);
    this.#expected = reigns;
    this.#reached = Math.max(this.#reached, maxId);
    this.#clock.stop();
  }

  /** The same for a row in which nothing was reserved. */
  acceptMoved({ found, maxId, beginsReign }: SequenceMovedError): void {
    this.acceptRow(found, maxId, beginsReign);
  }

  /**
   * The same for a row that was read. Where the next reservation begins a reign, the one in the row may be
   * over by then.
   */
  acceptRow({ realm, reigns }: Origin, maxId: number, beginsReign: boolean): void {
    if (beginsReign) this.#acceptRealm(realm);
    else this.accept({ realm, reigns }, maxId);
  }

  #acceptRealm(realm: string | undefined): void {
    if (realm !== undefined && this.#realm !== undefined && realm !== this.#realm) {
      throw createdAnew(this.#name, this.#realm, realm);
    }
    this.#realm ??= realm;
  }

  /**
   * Makes a reservation from a row of the origin that is expected. One of another origin is used as well if
   * it is accepted, which is decided before anything is reserved there. Rejects as `accept` throws, and as
   * `run` rejects.
   */
  async reserve<T>(run: (within: Origin) => Promise<T>): Promise<T> {
    let within: Origin = { realm: this.#realm, reigns: this.#expected };
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(within);
      } catch (error) {
        if (!(error instanceof SequenceMovedError)) throw error;
        const { found, isElsewhere } = error;
        // Also if it is rethrown: its `maxId` becomes a floor, above which no former primary must be raised.
        this.acceptMoved(error);
        if (isElsewhere || isWithin(found, within) || attempt === ATTEMPTS) throw error;
        within = found;
      }
    }
  }

  /**
   * Remembers what another process knew. That may be old, so if neither of the two knows the other's reign,
   * only a later timeline counts.
   */
  learn(reigns: Reigns): void {
    const [before, theirs] = [this.#reigns[0], reigns[0]];
    const later = isEarlierTimeline(before, theirs) && !this.#knows(theirs);
    if (!later && !this.#isFollowedBy(reigns)) return;
    this.#add(reigns);
    if (this.#reigns[0] === before) return;
    this.#expected = reigns;
    this.laterReignSeen();
  }

  /** Call it when others have used the latest reign: a former primary is refused for as long again. */
  laterReignSeen(): void {
    this.#clock.stop();
  }

  /** A row that was written in our reign as well is of a later one, even if it shows more than we knew. */
  #isFollowedBy(reigns: Reigns = []): boolean {
    const [ours] = this.#reigns;
    return ours === undefined || reigns.includes(ours);
  }

  #knows(name = ''): boolean {
    return this.#reigns.includes(name);
  }

  /** Whether it is of an earlier timeline, and nobody has accepted it since the two went apart. */
  #isEarlier(reigns: Reigns = []): boolean {
    const accepted = reigns.some((name) => name.includes('!') && !this.#knows(name));
    return !accepted && isEarlierTimeline(reigns[0], this.#reigns[0]);
  }

  #add(reigns: Reigns = []): void {
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

/**
 * What to do if a former primary is to remain the primary: set a floor, or wait until it is used again, where
 * a floor would move nothing but new keys.
 */
type Advice = 'floor' | 'wait';

/** A server answered whose reign another one has followed, so nothing of it is used. */
export class SupersededReignError extends IdError {
  constructor(name: string, theirs: string, ours = '', advice: Advice = 'floor') {
    const then =
      advice === 'floor'
        ? `, then set a floor here: ids floor --checked, or setFloor with checked: true and follows: ["${ours}"]`
        : ': after "refuseFormerPrimaryMs" it is used again, and each key skips ids';
    super(
      'ERR_IDS_UNAVAILABLE',
      `sequence ${JSON.stringify(name)}: the server that answered is in the reign ${theirs}, which the reign ${ours} ` +
        'has followed: it is a former primary that still answers, or a copy of one. Nothing of it is used. If it is ' +
        `to remain the primary, stop the other one${then}`,
    );
  }
}

function createdAnew(name: string, before: string, now: string): IdError {
  return new IdError(
    'ERR_IDS_REALM',
    `sequence ${JSON.stringify(name)} is another one than when this generator was opened (realm ${now}, not ${before}): ` +
      'its row was deleted and created anew, or the connection leads to another database',
  );
}
