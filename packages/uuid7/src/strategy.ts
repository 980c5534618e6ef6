import type { Guarantees, IdStrategy, SyncIdGenerator } from '@ids/core';
import {
  defineGuarantees,
  memoryGenerator,
  parseOptions,
  type SchemaIssue,
  type StandardSchemaV1,
  shownValue,
  turnNow,
} from '@ids/core/strategy';
import { exactNow } from './exact-clock.js';
import { MAX_LEAD_MS } from './issuer.js';
import { inspectUuid7 } from './parse.js';
import { threadIssuer } from './thread-issuer.js';

/** Options of the strategy. */
export interface Uuid7Options {
  /**
   * `exact`, the default, reads the clock for each id. `turn` reads it for the first id after each `await` or
   * return to the event loop, and after 256 ids. So an id may carry the time at which the current synchronous
   * run of code began.
   */
  readonly clock?: 'exact' | 'turn' | undefined;
}

/** Options of `createUuid7Generator`. */
export interface Uuid7GeneratorOptions extends Uuid7Options {
  /** The form of the ids: `string`, the default, has 36 characters; `bytes` is a `Uint8Array` of 16. */
  readonly as?: 'string' | 'bytes' | undefined;
}

/**
 * A generator that issues UUIDs as 16 bytes. `guarantees` describes the same ids as strings; both sort alike.
 */
export interface Uuid7BytesGenerator
  extends Omit<SyncIdGenerator<string>, 'next' | 'nextBatch' | 'nextSync' | 'nextBatchSync'> {
  next(options?: Parameters<SyncIdGenerator['next']>[0]): Promise<Uint8Array>;
  nextBatch(count: number, options?: Parameters<SyncIdGenerator['next']>[0]): Promise<Uint8Array[]>;
  nextSync(): Uint8Array;
  nextBatchSync(count: number): Uint8Array[];
}

interface ParsedUuid7Options {
  readonly clock: 'exact' | 'turn';
}

interface ParsedUuid7GeneratorOptions extends ParsedUuid7Options {
  readonly as: 'string' | 'bytes';
}

const CLOCKS = ['exact', 'turn'] as const;
const FORMS = ['string', 'bytes'] as const;

/** A schema of options that each accept two values; the first is the default. */
function schemaOf<Parsed>(
  choices: Readonly<Record<string, readonly [string, string]>>,
): StandardSchemaV1<Partial<Parsed>, Parsed> {
  const validate = (input: unknown) => {
    const issues: SchemaIssue[] = [];
    const value: Record<string, unknown> = {};
    for (const [name, accepted] of Object.entries<readonly unknown[]>(choices)) {
      const { [name]: chosen = accepted[0] } = input as Readonly<Record<string, unknown>>;
      value[name] = chosen;
      if (accepted.includes(chosen)) continue;
      const message = `must be ${accepted.map(shownValue).join(' or ')}, got ${shownValue(chosen)}`;
      issues.push({ path: [name], message });
    }
    return issues.length === 0 ? { value: value as Parsed } : { issues };
  };
  return { '~standard': { version: 1, vendor: '@ids/uuid7', validate } };
}

/** The guarantees for these options. */
function uuid7Guarantees({ clock }: ParsedUuid7Options): Guarantees {
  return defineGuarantees({
    unique: 'cluster',
    order: {
      process: 'increasing',
      // An id's time is truncated to the millisecond, and may be ahead of the clock. A turn can last any
      // time, so a time read at its start can be arbitrarily old.
      ...(clock === 'turn'
        ? { cluster: 'none' as const }
        : { cluster: 'k-sorted' as const, skewMs: 1 + MAX_LEAD_MS }),
    },
    gaps: 'on-restart',
    maxIdsLost: 0,
    sync: true,
    idType: 'string',
    text: {
      pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      alphabet: '-0123456789abcdef',
      minLength: 36,
      maxLength: 36,
      sortable: true,
      caseSensitive: false,
    },
    backends: [],
    discloses: ['time', 'volume'],
  });
}

/** The strategy for `createIds` and config files. */
export const uuid7: IdStrategy<'uuid7', Uuid7Options, ParsedUuid7Options, SyncIdGenerator<string>> = {
  name: 'uuid7',
  options: schemaOf({ clock: CLOCKS }),
  optionNames: ['clock'],
  guarantees: uuid7Guarantees,
  create: async (options) => open(options),
  inspect: inspectUuid7,
};

const FACTORY = {
  name: 'uuid7',
  options: schemaOf<ParsedUuid7GeneratorOptions>({ clock: CLOCKS, as: FORMS }),
  optionNames: ['clock', 'as'],
};

/**
 * Creates a generator of UUIDs of version 7, as 36 lower-case characters or as 16 bytes. All generators of a
 * thread share one counter, so that their ids increase together. Throws `ERR_IDS_CONFIG` if an option is
 * invalid.
 */
export function createUuid7Generator(
  options?: Uuid7GeneratorOptions & { readonly as?: 'string' | undefined },
): SyncIdGenerator<string>;
export function createUuid7Generator(
  options: Uuid7GeneratorOptions & { readonly as: 'bytes' },
): Uuid7BytesGenerator;
export function createUuid7Generator(
  options: Uuid7GeneratorOptions = {},
): SyncIdGenerator<string> | Uuid7BytesGenerator {
  const parsed = parseOptions(FACTORY, options);
  return parsed.as === 'bytes' ? openBytes(parsed) : open(parsed);
}

function open(options: ParsedUuid7Options): SyncIdGenerator<string> {
  return memoryGenerator({
    strategy: 'uuid7',
    guarantees: uuid7Guarantees(options),
    // Two functions instead of one that takes a clock: engines inline calls whose target never changes.
    issue:
      options.clock === 'turn'
        ? () => threadIssuer().issue(turnNow())
        : () => threadIssuer().issue(exactNow()),
    issueBatch: (count) => threadIssuer().issueBatch(count, Date.now),
  });
}

function openBytes(options: ParsedUuid7Options): Uuid7BytesGenerator {
  const now = options.clock === 'turn' ? turnNow : exactNow;
  // `memoryGenerator` only passes ids through, so they may be bytes; its types allow no objects.
  return memoryGenerator<string>({
    strategy: 'uuid7',
    guarantees: uuid7Guarantees(options),
    issue: () => threadIssuer().issueBytes(now()) as unknown as string,
  }) as unknown as Uuid7BytesGenerator;
}
