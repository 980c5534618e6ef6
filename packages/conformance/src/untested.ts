import type { Guarantees } from '@ids/core';
import type { ConformanceSubject } from './subject.js';

/** Something that a strategy claims, and that a run did not test. */
export interface Untested {
  readonly what: string;
  readonly why: string;
}

const noted = new WeakMap<ConformanceSubject, Map<string, Untested>>();

/** For a case that finds, while it runs, that there is nothing to test. */
export function noteUntested(subject: ConformanceSubject, what: string, why: string): void {
  const notes = noted.get(subject) ?? new Map<string, Untested>();
  noted.set(subject, notes);
  notes.set(what, { what, why });
}

/** What the cases that have run noted. */
export function notedUntested(subject: ConformanceSubject): readonly Untested[] {
  return [...(noted.get(subject)?.values() ?? [])];
}

/** Claims that no run of the kit can test, whatever the strategy. */
export function beyondTheKit({ unique, order, backends, discloses }: Guarantees): readonly Untested[] {
  const oneMachine = 'the kit runs on one machine';
  const found: Untested[] = [];
  if (unique === 'cluster') {
    found.push({ what: 'uniqueness across machines', why: oneMachine });
    // In containers each process has the same one, and after a restart again.
    found.push({ what: 'uniqueness of processes with equal PIDs', why: 'those of a run differ' });
  }
  if (order.cluster !== 'none') found.push({ what: 'order across machines', why: oneMachine });
  if (backends.length > 0) {
    found.push({ what: `faults of ${backends.join(' and ')}`, why: 'the kit runs without faults' });
  }
  found.push({
    what: `that ids disclose ${discloses.length > 0 ? `nothing but ${discloses.join(', ')}` : 'nothing'}`,
    why: 'only plain text is searched, not bits or hashes',
  });
  return found;
}
