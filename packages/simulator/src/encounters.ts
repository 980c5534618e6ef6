import { scriptOf, watchScripts } from './redis/watch-scripts.js';
import { isAboutKeys } from './table/key-transaction.js';
import { reserves } from './table/simulated-executor.js';
import type { Wraps } from './world/base-world.js';

/** By fault and step, how often the fault struck while the step was under way. */
export type Encounters = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** In place of a step. */
const NOTHING = 'nothing';

/** Notes which faults strike while which steps of the protocols have no answer yet. */
export class EncounterLog {
  readonly #underWay = new Map<string, number>();
  readonly #found: Record<string, Record<string, number>> = {};

  get found(): Encounters {
    return this.#found;
  }

  /** The wrappers, and around them one that hears of each step. */
  watching(wraps: Wraps): Wraps {
    const { wrap = (client) => client, wrapTable = (executor) => executor } = wraps;
    return {
      ...wraps,
      wrap: (client) =>
        watchScripts(wrap(client), (keys, args, answered) =>
          this.#during(scriptOf(keys.length, args.length) ?? 'another script', answered),
        ),
      wrapTable: (executor) => {
        const inner = wrapTable(executor);
        return {
          execute: (text, values, signal) => {
            const answered = inner.execute(text, values, signal);
            this.#during(statementStep(text), answered);
            return answered;
          },
          close: () => inner.close(),
        };
      },
    };
  }

  /** `did`: whether the fault was possible. */
  struck(fault: string, did: boolean): void {
    const steps = this.#found[fault] ?? {};
    this.#found[fault] = steps;
    if (!did) return;
    const underWay = [...this.#underWay.keys()];
    for (const step of underWay.length === 0 ? [NOTHING] : underWay) steps[step] = (steps[step] ?? 0) + 1;
  }

  #during(step: string, answered: Promise<unknown>): void {
    this.#underWay.set(step, (this.#underWay.get(step) ?? 0) + 1);
    const end = (): void => {
      const left = (this.#underWay.get(step) ?? 1) - 1;
      if (left > 0) this.#underWay.set(step, left);
      else this.#underWay.delete(step);
    };
    answered.then(end, end);
  }
}

function statementStep(text: string): string {
  const about = isAboutKeys(text) ? ' of keys' : '';
  if (/^\s*SELECT\b/i.test(text)) return `read${about}`;
  return about !== '' || reserves(text) ? `reserve${about}` : 'write by an operator';
}

/** What was found in all runs of a kind of worlds. */
export class EncounterTable {
  readonly #times = new Map<string, Map<string, number>>();

  add(found: Encounters): void {
    for (const [fault, steps] of Object.entries(found)) {
      const times = this.#times.get(fault) ?? new Map<string, number>();
      this.#times.set(fault, times);
      for (const [step, count] of Object.entries(steps)) times.set(step, (times.get(step) ?? 0) + count);
    }
  }

  /** Lines of a table, with a row for each fault and a column for each step; `-` for what never met. */
  get lines(): readonly string[] {
    const steps = [...new Set([...this.#times.values()].flatMap((times) => [...times.keys()]))].sort();
    const faults = [...this.#times.keys()].sort();
    const width = Math.max(0, ...faults.map(({ length }) => length));
    const row = (title: string, cells: readonly string[]): string =>
      [title.padEnd(width), ...cells.map((cell, i) => cell.padStart(steps[i]?.length ?? 0))].join('  ');
    return [
      row('', steps),
      ...faults.map((fault) =>
        row(
          fault,
          steps.map((step) => String(this.#times.get(fault)?.get(step) ?? '-')),
        ),
      ),
    ];
  }
}
