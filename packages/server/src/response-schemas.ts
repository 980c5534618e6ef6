import type {
  DescribeResponse,
  HighestResponse,
  IssueResponse,
  LeaseResponse,
  ProvenanceResponse,
  SequenceResponse,
  WireProblem,
} from '@ids/http/wire';
import * as v from 'valibot';
import { NONCE } from './schemas.js';

// What stands in the OpenAPI document about answers. Further members may come, and clients ignore them.

/** Answers are typed as read-only. */
type ReadOnly<T> = T extends object ? { readonly [K in keyof T]: ReadOnly<T[K]> } : T;

/** Returns `schema`. Does not compile if an `Answer` has another form than it says. */
function schemaOf<Answer>() {
  return <S extends v.GenericSchema>(schema: Answer extends ReadOnly<v.InferInput<S>> ? S : never): S =>
    schema;
}

const nonce = v.optional(NONCE);
export const realm = v.pipe(
  v.nullable(v.string()),
  v.description('Identifies the store of the ids; null if they need none. Refuse another one than before.'),
);
const strings = v.array(v.string());
export const id = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(Number.MAX_SAFE_INTEGER));
export const time = v.pipe(v.string(), v.isoTimestamp());

export const code = v.pipe(v.string(), v.regex(/^ERR_IDS_[A-Z_]+$/), v.description('Stable: match on it.'));

const problem = {
  type: v.string(),
  title: v.string(),
  status: v.pipe(v.number(), v.integer()),
  detail: v.pipe(v.string(), v.description('For people; may change.')),
  code,
  retryable: v.pipe(v.boolean(), v.description('Whether the same request may succeed later.')),
  nonce,
};

const PROBLEM_SCHEMA = v.object(problem);

const result = v.union([
  v.object({
    realm,
    ids: v.pipe(strings, v.description('In the order of issue.')),
  }),
  v.object({ problem: PROBLEM_SCHEMA }),
]);

export const ISSUED = schemaOf<IssueResponse>()(
  v.object({
    nonce,
    results: v.pipe(v.array(result), v.description('One for each call, in the order of the calls.')),
  }),
);

const moved = v.object({
  maxId: id,
  beginsReign: v.boolean(),
  realm: v.optional(v.string()),
  reigns: v.optional(strings),
});

export const PROBLEM = schemaOf<WireProblem>()(
  v.object({
    ...problem,
    results: v.optional(v.array(result)),
    moved: v.optional(v.pipe(moved, v.description('Where the sequence is, if not at "expectedMaxId".'))),
  }),
);

export const LEASED = schemaOf<LeaseResponse>()(
  v.object({
    nonce,
    realm,
    low: id,
    high: v.pipe(id, v.description('Inclusive.')),
    reigns: v.optional(strings),
    newReign: v.optional(
      v.object({
        cause: v.picklist(['failover', 'restore']),
        skipped: v.number(),
        pace: v.optional(
          v.pipe(
            v.object({ ageSeconds: v.number(), idsPerSecond: v.number() }),
            v.description('Of the row, if "skipped" depends on it.'),
          ),
        ),
        isCut: v.optional(
          v.pipe(v.literal(true), v.description('It was to be more than a quarter of what was left.')),
        ),
      }),
    ),
    expiresInMs: v.optional(
      v.pipe(v.number(), v.description('How long the ids may be issued. Count from before the request.')),
    ),
  }),
);

export const SEQUENCE = schemaOf<SequenceResponse>()(
  v.object({
    realm: v.string(),
    maxId: v.pipe(id, v.description('The last id that anyone has reserved; 0 if there is none.')),
    group: v.optional(v.object({ by: v.string(), timeZone: v.string() })),
    reigns: v.optional(strings),
    pending: v.optional(v.picklist(['failover', 'restore'])),
    refused: v.optional(v.boolean()),
  }),
);

export const HIGHEST = schemaOf<HighestResponse>()(
  v.object({
    realm,
    highest: v.pipe(
      v.nullable(v.string()),
      v.description('The greatest id of the key that may have been issued; null before the first one.'),
    ),
  }),
);

export const PROVENANCE = schemaOf<ProvenanceResponse>()(
  v.object({
    realm,
    parts: v.pipe(
      v.array(v.object({ name: v.string(), value: v.string(), note: v.optional(v.string()) })),
      v.description('Such as `owner`, `segment` and `granted`.'),
    ),
  }),
);

const guarantees = v.object({
  within: v.optional(v.literal('key')),
  unique: v.picklist(['cluster', 'process']),
  order: v.object({
    process: v.picklist(['increasing', 'none']),
    cluster: v.picklist(['real-time', 'k-sorted', 'none']),
    skewMs: v.optional(v.number()),
  }),
  gaps: v.picklist(['never', 'on-restart', 'on-fault']),
  maxIdsLost: v.optional(v.number()),
  sync: v.boolean(),
  idType: v.picklist(['string', 'number', 'bigint']),
  text: v.object({
    pattern: v.string(),
    prefix: v.optional(v.string()),
    alphabet: v.optional(v.string()),
    minLength: v.optional(v.number()),
    maxLength: v.number(),
    sortable: v.boolean(),
    caseSensitive: v.optional(v.boolean()),
  }),
  backends: v.array(v.picklist(['redis', 'sql', 'http'])),
  discloses: v.array(v.picklist(['time', 'volume', 'host', 'address', 'process'])),
  maxIdsPerSecond: v.optional(v.number()),
});

export const health = v.object({
  status: v.picklist(['ok', 'not-ready', 'degraded', 'down', 'closed']),
  remaining: v.optional(v.number()),
  secondsLeft: v.optional(v.number()),
  exhaustedAt: v.optional(time),
  lastError: v.optional(v.object({ code, at: time })),
  lastRegression: v.optional(v.object({ at: time })),
});

export const DESCRIBED = schemaOf<DescribeResponse>()(
  v.object({
    generators: v.array(
      v.object({
        name: v.string(),
        strategy: v.string(),
        realm,
        guarantees,
        health,
        maxIdsPerRequest: v.number(),
        maxIdsPerLease: v.optional(v.number()),
      }),
    ),
  }),
);
