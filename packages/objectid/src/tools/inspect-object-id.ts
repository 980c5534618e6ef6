import type { IdPart } from '@ids/core';
import { decodeObjectId, type ObjectIdLayout } from './decode-object-id.js';

/**
 * The parts of `text` as a table for people, its time in UTC and as the clock on the wall shows it here;
 * `undefined` unless it is 24 lower-case hex digits. An id does not tell its layout: `layout` says how to
 * read the five bytes in the middle.
 */
export function inspectObjectId(
  text: string,
  layout: ObjectIdLayout = 'random',
): readonly IdPart[] | undefined {
  if (typeof text !== 'string' || !/^[0-9a-f]{24}$/.test(text)) return undefined;
  const { date, counter } = decodeObjectId(text);
  return [
    { name: 'time', value: date.toISOString(), note: `local ${localTime(date)}` },
    ...(layout === 'random' ? randomPart(text) : machineParts(text)),
    { name: 'counter', value: String(counter), note: `0x${text.slice(18)}` },
  ];
}

function randomPart(text: string): IdPart[] {
  return [{ name: 'random', value: text.slice(8, 18), note: 'the same for all ids of one process' }];
}

function machineParts(text: string): IdPart[] {
  const { machine, processId } = decodeObjectId(text, 'machine-pid');
  return [
    { name: 'machine', value: machine, note: 'the start of a hash' },
    { name: 'process', value: String(processId), note: 'the low 16 bits of the process id' },
  ];
}

/** `2017-11-24 14:19:05 +08:00`: sorts and reads the same in every locale. */
function localTime(date: Date): string {
  const east = -Math.round(date.getTimezoneOffset());
  const shifted = new Date(date.getTime() + east * 60_000).toISOString();
  const [hours, minutes] = [Math.floor(Math.abs(east) / 60), Math.abs(east) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${shifted.slice(0, 10)} ${shifted.slice(11, 19)} ${east < 0 ? '-' : '+'}${hours}:${minutes}`;
}
