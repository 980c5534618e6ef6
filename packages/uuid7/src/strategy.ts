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

/** What a user writes. */
export interface Uuid7Options {
  /**
   * `exact`, the default, asks for the time of each id. `turn` reads it for the first id after each `await`
   * or return to the event loop, and after 256 ids: an id may be dated at the start of the synchronous run of
   * code that it is asked for in.
   */
  readonly clock?: 'exact' | 'turn' | undefined;
}

/** What `createUuid7Generator` takes besides. */
export interface Uuid7GeneratorOptions extends Uuid7Options {
  /** `string`, the default: 36 characters. `bytes`: a `Uint8Array` of 16. */
  readonly as?: 'string' | 'bytes' | undefined;
}

/** A generator of ids of 16 bytes. `guarantees` are those of the same ids as text: both sort alike. */
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

/** The first of each is the default. */
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

/** What ids with these options hold to; the README says what it rests on. */
function uuid7Guarantees({ clock }: ParsedUuid7Options): Guarantees {
  return defineGuarantees({
    unique: 'cluster',
    order: {
      process: 'increasing',
      // The millisecond that an id's time is cut to, and those it may lie ahead of the clock. Nothing bounds
      // the length of a turn, and so how far a time read at its start lies behind.
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

/** The strategy value for `createIds` and config files. */
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
 * A generator of UUIDs of version 7: 36 lower-case characters, or 16 bytes. All generators of a thread issue
 * from one counter, so that their ids rise together. Throws `ERR_IDS_CONFIG` for options that cannot work.
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
    // Two functions rather than one with a clock in it: engines inline a call whose target never changes.
    issue:
      options.clock === 'turn'
        ? () => threadIssuer().issue(turnNow())
        : () => threadIssuer().issue(exactNow()),
    issueBatch: (count) => threadIssuer().issueBatch(count, Date.now),
  });
}

function openBytes(options: ParsedUuid7Options): Uuid7BytesGenerator {
  const now = options.clock === 'turn' ? turnNow : exactNow;
  // Nothing in there looks at an id.
  return memoryGenerator<string>({
    strategy: 'uuid7',
    guarantees: uuid7Guarantees(options),
    issue: () => threadIssuer().issueBytes(now()) as unknown as string,
  }) as unknown as Uuid7BytesGenerator;
}
