import type { Guarantees } from '@ids/core';
import type { Alternative } from './case.js';

/** A string of fixed length that is made in memory, one by one: nothing is set aside that could be lost. */
function text(
  alphabet: string,
  [pattern, length]: readonly [RegExp, number],
  rest: Pick<Guarantees, 'order' | 'discloses'>,
): Guarantees {
  const sortable = rest.order.cluster !== 'none';
  return {
    unique: 'cluster',
    gaps: 'on-restart',
    maxIdsLost: 0,
    sync: true,
    idType: 'string',
    text: { pattern, alphabet, minLength: length, maxLength: length, sortable },
    backends: [],
    ...rest,
  };
}

const HEX = '-0123456789abcdef';
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const URL_SAFE = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

function uuidOf(version: 4 | 7): RegExp {
  return new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`);
}

const UNORDERED = { order: { process: 'none', cluster: 'none' }, discloses: [] } as const;

/** Within a millisecond these count up from a random start. Times are those of each machine's clock. */
const BY_MILLISECOND = {
  order: { process: 'increasing', cluster: 'k-sorted', skewMs: 1 },
  discloses: ['time', 'volume'],
} as const;

/** RFC 9562, section 5.4. */
export const uuidV4: Alternative = {
  name: 'UUID v4',
  guarantees: text(HEX, [uuidOf(4), 36], UNORDERED),
  uniqueBy: '122 random bits',
};

/** RFC 9562, section 5.7, with the counter that the package `uuid` puts at the head of the random bits. */
export const uuidV7: Alternative = {
  name: 'UUID v7',
  guarantees: text(HEX, [uuidOf(7), 36], BY_MILLISECOND),
  uniqueBy: '74 random bits per ms',
};

/** Of https://github.com/ulid/spec, from a monotonic factory. */
export const ulidFromFactory: Alternative = {
  name: 'ULID',
  guarantees: text(CROCKFORD, [/^[0-9A-HJKMNP-TV-Z]{26}$/, 26], BY_MILLISECOND),
  uniqueBy: '80 random bits per ms',
};

/** Of its default size. */
export const nanoId: Alternative = {
  name: 'nanoid',
  guarantees: caseSensitive(text(URL_SAFE, [/^[\w-]{21}$/, 21], UNORDERED)),
  uniqueBy: '126 random bits',
};

/**
 * A sequence of Postgres with CACHE 1. The log reserves 32 numbers at a time, which a crash skips
 * (SEQ_LOG_VALS in its source).
 */
export const bigserial: Alternative = {
  name: 'bigserial',
  guarantees: {
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'real-time' },
    gaps: 'on-fault',
    maxIdsLost: 32,
    sync: false,
    idType: 'number',
    text: { pattern: /^[1-9]\d*$/, alphabet: '0123456789', minLength: 1, maxLength: 16, sortable: false },
    backends: ['sql'],
    discloses: ['volume'],
  },
  idTypes: ['number', 'bigint'],
  uniqueBy: 'one database that loses no commit',
};

function caseSensitive(guarantees: Guarantees): Guarantees {
  return { ...guarantees, text: { ...guarantees.text, caseSensitive: true } };
}
