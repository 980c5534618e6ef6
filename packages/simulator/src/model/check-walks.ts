import { type Guard, withoutGuard } from '../guards.js';
import { Client, type ReplayOptions } from './client.js';
import { compareState, type Mapping, Names } from './compare-state.js';
import { loadDispenserHash } from './product.js';
import { Servers } from './servers.js';
import {
  type Defines,
  type Line,
  type ModelState,
  randomWalks,
  type Step,
  type Walk,
  walksCommand,
} from './walk.js';

/** The bounds of one kind of walk. */
interface Bounds {
  readonly defines: Defines;
  readonly realms: 1 | 2;
  /** Whether the assertions of the model hold in all of them. */
  readonly sound: boolean;
}

/** Entries of the ring in the original scripts. */
const RING = 16;
/**
 * In some walks the ring of the scripts is as short as that of the model, so that a claim may come too late.
 */
const SHORT_RING = 1;
/** More than a walk fills: nothing is overwritten, neither in the model nor in the scripts. */
const LONG_RING = 8;

/** Here no guard of the model is off. */
const WITHIN_LIMITS = { realms: 1, sound: true } as const;
const BEYOND_LIMITS = { REWIND: '', DOUBLE_LOSS: '' };

/**
 * Seeds alternate between these: few faults, which leaves room for refills; many; two realms; and beyond the
 * limits of the guarantee, where ids may repeat both in the model and in the scripts.
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

/** The first ids of walks: from small to the largest exact numbers. */
const FIRST_IDS = [1, 1_000_000_007, Number.MAX_SAFE_INTEGER - 20];

export interface WalksOptions {
  /** The first Spin seed; each seed makes a number of walks. */
  readonly from: number;
  readonly walks: number;
  /** The guard to remove from the scripts. */
  readonly guard?: Guard | undefined;
  /** Definitions that make the model differ from the scripts. */
  readonly variant?: Defines;
  readonly stopped?: () => boolean;
}

export interface WalksOutcome {
  readonly walks: number;
  readonly steps: number;
  /** How often each kind of line occurred: commands, their outcomes, faults. */
  readonly kinds: ReadonlyMap<string, number>;
  /** The walk that ended the check, line by line; undefined if all agreed. */
  readonly failure: string | undefined;
}

/** Replays random walks until the model and the scripts disagree. */
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

/** The steps that led to a disagreement, and the disagreement itself. */
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

/** A step after which the scripts and the model differ. */
interface Disagreement {
  /** From 0 on. */
  readonly step: number;
  readonly problems: readonly string[];
}

/** How many steps between two checks of refused commands: errors take most of the time. */
const REFUSALS_EVERY = 4;

/**
 * Executes each step of a walk with the scripts, on simulated servers. Ends at the first step where the two
 * differ.
 */
async function replay(walk: Walk, options: ReplayOptions): Promise<Disagreement | undefined> {
  const servers = new Servers(options.seed);
  const clients: Client[] = [];
  const mapping: Mapping = {
    reigns: new Names('reign'),
    generations: new Names('generation'),
    id: (small) => (small === 0 ? 0 : options.firstId - 1 + small),
    holder: (client) => clients[client]?.holder ?? '',
    ringLength: options.ringLength,
  };
  mapping.reigns.begin(1, servers.nodes[0].replid);
  clients.push(new Client(0, servers, mapping, options), new Client(1, servers, mapping, options));
  let before: ModelState | undefined;
  for (const [number, step] of walk.steps.entries()) {
    const problems: string[] = [];
    for (const line of step.lines) {
      const reign = servers.happens(line)?.newReign;
      if (reign !== undefined) {
        const stamp = step.after.nodes[reign]?.stamp ?? 0;
        const problem = mapping.reigns.begin(stamp, servers.node(reign).replid);
        if (problem !== undefined) problems.push(problem);
      }
      const client = clients[line.numbers.client ?? clients.length];
      if (client !== undefined) problems.push(...(await client.does(line, { number, step, before })));
    }
    problems.push(...compareState(step, servers, mapping));
    if (problems.length === 0 && number % REFUSALS_EVERY === 0) {
      const client = clients[(number / REFUSALS_EVERY) % 2];
      problems.push(...((await client?.isRefused(step.after)) ?? []));
    }
    if (problems.length > 0) return { step: number, problems };
    before = step.after;
  }
  return undefined;
}
