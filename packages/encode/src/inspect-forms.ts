import type { IdPart } from '@ids/core';
import { parseTypeid } from './typeid.js';
import { parseUlid } from './ulid.js';

/**
 * The parts of `text` as a table for people; `undefined` unless it is a TypeID. Whoever issued it, and
 * whatever the version of its UUID: only version 7 has a time. Never throws.
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

/** The same for a ULID in upper case, as it is written: time, randomness, and its bits as a UUID. */
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
 * Why `text`, which neither function reads, is no TypeID or ULID: a sentence. `undefined` where it does not
 * look like one, or is one.
 */
export function formProblem(text: string): string | undefined {
  const digits = text.slice(text.lastIndexOf('_') + 1);
  // One digit too few or too many is a slip; anything else is another kind of id.
  if (!/^[0-9a-z]{25,27}$/i.test(digits)) return undefined;
  const typeid = attempt(parseTypeid, text);
  if (!('message' in typeid)) return undefined;
  if (digits !== text) return `it is no TypeID: ${typeid.message}`;
  const ulid = attempt(parseUlid, text);
  if ('message' in ulid) return `it is no ULID: ${ulid.message}`;
  return ulid.ulid === text ? undefined : `a ULID is written in upper case: ${ulid.ulid}`;
}

function attempt<T extends object>(parse: (text: string) => T, text: string): T | Error {
  try {
    return parse(text);
  } catch (error) {
    return error as Error;
  }
}

/** By RFC 9562, whose variant is 10 in binary; 0 for other bits, such as those of most ULIDs. */
function versionOf(uuid: string): number {
  return /^[89ab]$/.test(uuid[19] as string) ? Number.parseInt(uuid[14] as string, 16) : 0;
}

function noteOf(version: number, type: string): string {
  const named = version >= 1 && version <= 8 ? `version ${version}` : 'of no version';
  return type === '' ? `${named}; a ULID would be in upper case` : named;
}

/** The first 48 bits, in milliseconds. */
function timePart(uuid: string): IdPart {
  const ms = Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
  return { name: 'time', value: new Date(ms).toISOString() };
}
