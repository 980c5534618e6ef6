import type { IdPart } from '@ids/core';
import { parseTypeid } from './typeid.js';
import { parseUlid } from './ulid.js';

/**
 * The parts of a TypeID for display, whoever issued it and whatever the version of its UUID; only version 7
 * has a time. Returns `undefined` unless `text` is a TypeID. Never throws.
 */
export function inspectTypeid(text: string): readonly IdPart[] | undefined {
  const parsed = attempt(parseTypeid, text);
  if ('message' in parsed) return undefined;
  const { type, uuid } = parsed;
  const version = versionOf(uuid);
  return [
    ...(type === '' ? [] : [{ name: 'type', value: type }]),
    { name: 'uuid', value: uuid, note: noteOf(version, type) },
    ...(version === 7 ? [timePart(uuid)] : []),
  ];
}

/**
 * The parts of a ULID for display: time, random digits, and its bits as a UUID. Returns `undefined` unless
 * `text` is a ULID in upper case. Never throws.
 */
export function inspectUlid(text: string): readonly IdPart[] | undefined {
  const parsed = attempt(parseUlid, text);
  if ('message' in parsed || parsed.ulid !== text) return undefined;
  const { uuid, random } = parsed;
  return [
    timePart(uuid),
    { name: 'random', value: random, note: 'the last 80 bits' },
    { name: 'uuid', value: uuid, note: noteOf(versionOf(uuid), 'of a ULID') },
  ];
}

/**
 * Explains why `text` is not a TypeID or ULID although it looks like one. Returns `undefined` if it does not
 * look like one, or is one.
 */
export function formProblem(text: string): string | undefined {
  const digits = text.slice(text.lastIndexOf('_') + 1);
  // One digit too few or too many is probably a typo; anything else is another kind of id.
  if (!/^[0-9a-z]{25,27}$/i.test(digits)) return undefined;
  const typeid = attempt(parseTypeid, text);
  if (!('message' in typeid)) return undefined;
  if (digits !== text) return `it is not a TypeID: ${typeid.message}`;
  const ulid = attempt(parseUlid, text);
  if ('message' in ulid) return `it is not a ULID: ${ulid.message}`;
  return ulid.ulid === text ? undefined : `a ULID is written in upper case: ${ulid.ulid}`;
}

function attempt<T extends object>(parse: (text: string) => T, text: string): T | Error {
  try {
    return parse(text);
  } catch (error) {
    return error as Error;
  }
}

/** The version, if the variant is that of RFC 9562 (10 in binary); otherwise 0, as for most ULIDs. */
function versionOf(uuid: string): number {
  return /^[89ab]$/.test(uuid[19] as string) ? Number.parseInt(uuid[14] as string, 16) : 0;
}

function noteOf(version: number, type: string): string {
  const named = version >= 1 && version <= 8 ? `version ${version}` : 'of no version';
  return type === '' ? `${named}; a ULID would be in upper case` : named;
}

/** The time in the first 48 bits, in milliseconds. */
function timePart(uuid: string): IdPart {
  const ms = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
  return { name: 'time', value: new Date(ms).toISOString() };
}
