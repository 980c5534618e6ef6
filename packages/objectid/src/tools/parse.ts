import type { IdPart } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import { checkedText } from '../input.js';

interface CommonFields {
  /** Seconds since the epoch, 0 .. 2^32 - 1. */
  readonly seconds: number;
  /** The same as a `Date`, at the start of the second. */
  readonly date: Date;
  /** 0 .. 2^24 - 1. */
  readonly counter: number;
}

/** The fields of the current layout. */
export interface ParsedObjectId extends CommonFields {
  /** Ten lower-case hex digits, drawn at random by the issuing process. */
  readonly random: string;
}

/** The fields of the classic layout. */
export interface ParsedMachinePidObjectId extends CommonFields {
  /** Six lower-case hex digits. */
  readonly machine: string;
  /** The low 16 bits of the process id. */
  readonly processId: number;
}

export type ObjectIdLayout = 'random' | 'machine-pid';

/**
 * Parses `id`, 24 hex digits in either case. An id does not show its layout, so `layout` determines how the
 * five bytes in the middle are read. Throws a `TypeError` if `id` is not a string, and a `RangeError` for any
 * other string or layout.
 */
export function parseObjectId(id: string, layout?: 'random'): ParsedObjectId;
export function parseObjectId(id: string, layout: 'machine-pid'): ParsedMachinePidObjectId;
export function parseObjectId(
  id: string,
  layout: ObjectIdLayout = 'random',
): ParsedObjectId | ParsedMachinePidObjectId {
  const digits = checkedText(id).toLowerCase();
  const seconds = Number.parseInt(digits.slice(0, 8), 16);
  const time = { seconds, date: new Date(seconds * 1_000) };
  const counter = Number.parseInt(digits.slice(18), 16);
  if (layout === 'random') return { ...time, random: digits.slice(8, 18), counter };
  if (layout === 'machine-pid') {
    const processId = Number.parseInt(digits.slice(14, 18), 16);
    return { ...time, machine: digits.slice(8, 14), processId, counter };
  }
  throw new RangeError(`layout must be "random" or "machine-pid", got ${formatValue(layout)}`);
}

/**
 * The parts of `text` for display, with the time in UTC and in the local time zone. Returns `undefined`
 * unless `text` is 24 lower-case hex digits. An id does not show its layout, so `layout` determines how the
 * five bytes in the middle are read.
 */
export function inspectObjectId(
  text: string,
  layout: ObjectIdLayout = 'random',
): readonly IdPart[] | undefined {
  if (typeof text !== 'string' || !/^[0-9a-f]{24}$/.test(text)) return undefined;
  const { date, counter } = parseObjectId(text);
  return [
    { name: 'time', value: date.toISOString(), note: `local ${localTime(date)}` },
    ...(layout === 'random' ? randomPart(text) : machineParts(text)),
    { name: 'counter', value: String(counter), note: `0x${text.slice(18)}` },
  ];
}

/**
 * Like `inspectObjectId` for an unknown layout: the five bytes in the middle are read both ways. Returns
 * `undefined` unless `text` is 24 lower-case hex digits.
 */
export function inspectEitherLayout(text: string): readonly IdPart[] | undefined {
  const classic = inspectObjectId(text, 'machine-pid');
  return inspectObjectId(text)?.flatMap((part) => {
    if (part.name !== 'random') return [part];
    const otherwise = classic?.filter(({ name }) => name === 'machine' || name === 'process') ?? [];
    return [
      part,
      ...otherwise.map((other) => ({ ...other, note: `${other.note}, if the layout is machine-pid` })),
    ];
  });
}

function randomPart(text: string): IdPart[] {
  return [{ name: 'random', value: text.slice(8, 18), note: 'the same for all ids of one process' }];
}

function machineParts(text: string): IdPart[] {
  const { machine, processId } = parseObjectId(text, 'machine-pid');
  return [
    { name: 'machine', value: machine, note: 'the start of a hash' },
    { name: 'process', value: String(processId), note: 'the low 16 bits of the process id' },
  ];
}

/** `2017-11-24 14:19:05 +08:00`: the same in every locale. */
function localTime(date: Date): string {
  const east = -Math.round(date.getTimezoneOffset());
  const shifted = new Date(date.getTime() + east * 60_000).toISOString();
  const [hours, minutes] = [Math.floor(Math.abs(east) / 60), Math.abs(east) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${shifted.slice(0, 10)} ${shifted.slice(11, 19)} ${east < 0 ? '-' : '+'}${hours}:${minutes}`;
}
