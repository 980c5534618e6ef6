import { type Guarantees, IdError, isAsStrong } from '@ids/core';
import { defineGuarantees } from '@ids/core/strategy';
import { DECIMAL_TEXT } from '@ids/segment';
import { DISCLOSURES, type ParsedOptions } from './options.js';
import type { WireGuarantees } from './wire.js';

type Claims = Pick<
  ParsedOptions,
  'mode' | 'as' | 'text' | 'order' | 'keyed' | 'gaps' | 'discloses' | 'maxIdsLost'
>;

/** What a server with longer ids would be refused for. */
const LONGEST_TEXT = 512;

/** The text of 2^53 - 1 has 16 digits, that of 2^63 - 1 has 19. */
const DIGITS = { number: 16, bigint: 19, string: 19 } as const;

function textOf({ as, text }: Pick<Claims, 'as' | 'text'>): Guarantees['text'] {
  if (text === 'uuid') {
    return {
      pattern: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      alphabet: '0123456789abcdef-',
      minLength: 36,
      maxLength: 36,
      sortable: false,
    };
  }
  if (text === 'any') {
    return { pattern: /^[\s\S]{1,512}$/, maxLength: LONGEST_TEXT, sortable: false, caseSensitive: true };
  }
  const maxLength = DIGITS[as];
  return {
    pattern: maxLength === 16 ? /^[1-9][0-9]{0,15}$/ : /^[1-9][0-9]{0,18}$/,
    alphabet: '0123456789',
    minLength: 1,
    maxLength,
    sortable: false,
  };
}

/**
 * What a generator claims: what its options say, because nobody has asked the server yet. `assertOffered`
 * checks it against what the server says.
 */
export function guaranteesOf(claims: Claims): Guarantees {
  if (claims.keyed === true) return ofKeys(claims);
  return claims.mode === 'segments' ? ofSegments(claims) : ofIds(claims);
}

function ofSegments({ as, maxIdsLost }: Claims): Guarantees {
  return defineGuarantees({
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'none' },
    gaps: 'on-restart',
    sync: true,
    idType: as,
    text: DECIMAL_TEXT,
    backends: ['http'],
    discloses: ['volume'],
    ...(maxIdsLost !== undefined && { maxIdsLost }),
  });
}

/** Sequences by key are in real-time order within each key. */
function ofKeys({ as, gaps = 'on-restart', discloses = [...DISCLOSURES] }: Claims): Guarantees {
  return defineGuarantees({
    within: 'key',
    unique: 'cluster',
    order: { process: 'increasing', cluster: 'real-time' },
    gaps,
    sync: false,
    idType: as,
    text: DECIMAL_TEXT,
    backends: ['http'],
    discloses: [...discloses],
  });
}

function ofIds({
  as,
  text,
  order = 'none',
  gaps = 'on-restart',
  discloses = [...DISCLOSURES],
}: Claims): Guarantees {
  return defineGuarantees({
    unique: 'cluster',
    // Requests of one client may reach several servers. Only if all of their ids are in order, its own are.
    order: { process: order === 'real-time' ? 'increasing' : 'none', cluster: order },
    gaps,
    sync: false,
    idType: as,
    text: textOf({ as, text }),
    backends: ['http'],
    discloses: [...discloses],
  });
}

/** Throws `ERR_IDS_UNMET` with everything that `claimed` says and the server does not promise. */
export function assertOffered(name: string, claimed: Guarantees, offered: WireGuarantees): void {
  const unmet = [
    ...unmetLevels(claimed, offered),
    ...unmetText(claimed.text, offered.text),
    ...unmetDisclosures(claimed, offered),
  ];
  if (unmet.length === 0) return;
  throw new IdError(
    'ERR_IDS_UNMET',
    `generator ${JSON.stringify(name)} of the server does not fit: ${unmet.join('; ')}. ` +
      'Change the options of this generator, or use another one',
  );
}

function unmetLevels({ within, unique, order, gaps }: Guarantees, offered: WireGuarantees): string[] {
  const unmet: string[] = [];
  if (within !== offered.within) {
    const [claims, offers] = [within, offered.within].map((by) =>
      by === 'key' ? 'one for each key' : 'one',
    );
    unmet.push(`sequences: claims ${claims}, the server offers ${offers}`);
  }
  if (!isAsStrong('unique', offered.unique, unique))
    unmet.push(`unique: claims ${unique}, the server offers ${offered.unique}`);
  if (!isAsStrong('orderInCluster', offered.order.cluster, order.cluster))
    unmet.push(`order: claims ${order.cluster}, the server offers ${offered.order.cluster}`);
  if (!isAsStrong('gaps', offered.gaps, gaps))
    unmet.push(`gaps: claims ${gaps}, the server offers ${offered.gaps}`);
  return unmet;
}

function unmetText(claimed: Guarantees['text'], offered: WireGuarantees['text']): string[] {
  const { alphabet, minLength = 0, maxLength } = claimed;
  const shown = `the server's ids match ${offered.pattern}`;
  const foreign = alphabet !== undefined && !isWithin(alphabet, offered);
  if (foreign) return [`text: claims only the characters ${alphabet}; ${shown}`];
  const { minLength: shortest = 0, maxLength: longest } = offered;
  if (shortest >= minLength && longest <= maxLength) return [];
  return [`text: claims ${minLength} to ${maxLength} characters; ${shown}`];
}

/** Whether every character of an id is in `alphabet`. */
function isWithin(alphabet: string, { prefix = '', alphabet: own }: WireGuarantees['text']): boolean {
  return own !== undefined && [...prefix, ...own].every((character) => alphabet.includes(character));
}

function unmetDisclosures({ discloses }: Guarantees, offered: WireGuarantees): string[] {
  const more = offered.discloses.filter((what) => !discloses.includes(what));
  return more.length === 0 ? [] : [`discloses: the ids of the server also disclose ${more.join(', ')}`];
}
