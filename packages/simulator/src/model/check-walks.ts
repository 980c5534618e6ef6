import type { Guard } from '../guard.js';
import { withoutGuard } from '../guards.js';
import { loadDispenserHash } from './product.js';
import { type Disagreement, replay } from './replay.js';
import { type Defines, randomWalks, walksCommand } from './spin.js';
import type { Line, Step, Walk } from './walk.js';

/** How the walks of a kind begin. */
interface Bounds {
  readonly defines: Defines;
  readonly realms: 1 | 2;
  /** Whether the model's assertions hold on all of them. */
  readonly sound: boolean;
}

/** Entries of the ring in the scripts, as they stand there. */
const RING = 16;
/**
 * In some walks the ring of the scripts is as short as the model's, so that a claim may come too late for it.
 */
const SHORT_RING = 1;
/** More than a walk fills: nothing is overwritten, in the model as in the scripts. */
const LONG_RING = 8;

/** No guard of the model is off in these, whatever faults it has. */
const WITHIN_LIMITS = { realms: 1, sound: true } as const;
const BEYOND_LIMITS = { REWIND: '', DOUBLE_LOSS: '' };

/**
 * They take turns: with few faults, which leaves room for refills; with many; with two realms; and beyond the
 * limits of the promise, where ids may repeat, in the model as in the scripts.
 */
const BOUNDS: readonly Bounds[] = [
  { ...WITHIN_LIMITS, defines: { FAULTS: 2, TAKES: 5, LAST_ID: 14, RING: LONG_RING } },
  { ...WITHIN_LIMITS, defines: { FAULTS: 1, TAKES: 5, LAST_ID: 14, RING: SHORT_RING } },
  { realms: 2, sound: true, defines: { FAULTS: 5, TAKES: 7, LAST_ID: 7, RING: LONG_RING, REALMS: 2 } },
  { ...WITHIN_LIMITS, defines: { FAULTS: 7, TAKES: 7, LAST_ID: 14, RING: LONG_RING, STEP: 4 } },
  {
    realms: 1,
    sound: false,
    defines: {
      FAULTS: 4,
      TAKES: 7,
      LAST_ID: 14,
      RING: SHORT_RING,
      STEP: 4,
      SPLIT_BRAIN: 'false',
      ...BEYOND_LIMITS,
    },
  },
];

/** What the first id of a walk is: small, and as large as numbers are exact. */
const FIRST_IDS = [1, 1_000_000_007, Number.MAX_SAFE_INTEGER - 20];

export interface WalksOptions {
  /** The first seed of Spin; each makes a number of walks. */
  readonly from: number;
  readonly walks: number;
  /** Taken out of the scripts. */
  readonly guard?: Guard | undefined;
  /** Definitions that make the model another one than the scripts'. */
  readonly variant?: Defines;
  readonly stopped?: () => boolean;
}

export interface WalksOutcome {
  readonly walks: number;
  readonly steps: number;
  /** How often each kind of line came: commands, their outcomes, faults. */
  readonly kinds: ReadonlyMap<string, number>;
  /** The walk that ended the check, line by line; undefined when all agreed. */
  readonly failure: string | undefined;
}

/** Replays one random walk after the other, until the model and the scripts disagree. */
export async function checkWalks({ from, walks, ...options }: WalksOptions): Promise<WalksOutcome> {
  const { guard, variant = {}, stopped = () => false } = options;
  const DispenserHash = await loadDispenserHash();
  const scripts = new Map(
    [LONG_RING, SHORT_RING].map((ring) => [ring, changedScripts(guard, ring === SHORT_RING)]),
  );
  const kinds = new Map<string, number>();
  let [done, steps] = [0, 0];
  for (let seed = from; done < walks && !stopped(); seed++) {
    const { defines, realms, sound } = boundsOf(seed);
    const all = { ...defines, ...variant };
    for (const [number, walk] of (await randomWalks(seed, all)).entries()) {
      if (done === walks || stopped()) break;
      const disagreement = await replay(walk, {
        DispenserHash,
        seed,
        realms,
        firstId: FIRST_IDS[number % FIRST_IDS.length] ?? 1,
        ringLength: defines.RING === SHORT_RING ? SHORT_RING : RING,
        wrap: scripts.get(Number(defines.RING))?.wraps().wrap,
      });
      done++;
      steps += walk.steps.length;
      for (const { kind } of walk.steps.flatMap(({ lines }) => lines)) {
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      }
      const isUnsound = walk.violation !== undefined && sound && Object.keys(variant).length === 0;
      if (disagreement !== undefined || isUnsound) {
        const title = `walk ${number} of: ${walksCommand(seed, all).join(' ')}`;
        return { walks: done, steps, kinds, failure: [title, ...storyOf(walk, disagreement)].join('\n') };
      }
    }
  }
  for (const changed of scripts.values()) {
    const unused = done > 0 ? changed?.unused() : undefined;
    if (unused !== undefined) throw new Error(unused);
  }
  return { walks: done, steps, kinds, failure: undefined };
}

function boundsOf(seed: number): Bounds {
  const found = BOUNDS[seed % BOUNDS.length];
  if (found === undefined) throw new RangeError(`walk ${seed}: a whole number of 0 or more is accepted`);
  return found;
}

function changedScripts(guard: Guard | undefined, shortRing: boolean) {
  const out = [...(guard?.out ?? []), ...(shortRing ? [[`% ${RING}`, `% ${SHORT_RING}`] as const] : [])];
  return out.length === 0 ? undefined : withoutGuard({ name: guard?.name ?? 'length of the ring', out });
}

/** What led to a disagreement, and what it is. */
function storyOf(walk: Walk, disagreement: Disagreement | undefined): string[] {
  const steps = walk.steps.slice(0, disagreement === undefined ? undefined : disagreement.step + 1);
  return [...steps.flatMap(linesOf), ...(disagreement?.problems ?? [`the model itself: ${walk.violation}`])];
}

function linesOf({ lines }: Step, number: number): string[] {
  return lines.map(({ kind, numbers }: Line) => {
    const words = Object.entries(numbers).map(([name, value]) => `${name} ${value}`);
    return `  ${String(number).padStart(4)} ${[kind, ...words].join(' ')}`;
  });
}
