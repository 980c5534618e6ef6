import type { Servers } from './servers.js';
import type { ModelHash, Step } from './walk.js';

/** How numbers of the model map to values in the scripts. */
export interface Mapping {
  readonly reigns: Names;
  readonly generations: Names;
  /** The real id for an id of the model; 0 stays 0. */
  readonly id: (small: number) => number;
  readonly holder: (client: number) => string;
  /** Entries of the ring in the scripts. */
  readonly ringLength: number;
}

export function realmOf(client: number): string {
  return `realm-${client}`;
}

/** All differences between the state after a step of the model and the state of the servers. */
export function compareState({ after }: Step, servers: Servers, mapping: Mapping): string[] {
  const problems: string[] = [];
  for (const [which, model] of after.hashes.entries()) {
    const node = after.nodes[which];
    const server = servers.nodes[which];
    // After its last fault, the model drops what can never serve again.
    if (after.faults === 0 && node?.master !== true) continue;
    const differs = differ(problems, node === undefined ? 'snapshot' : `node ${which}`);
    if (node !== undefined && server !== undefined) {
      differs('role', node.master ? 'master' : 'slave', server.role);
      differs('reign', mapping.reigns.of(node.stamp), server.replid);
    }
    compareHash(model, servers.fields(which), mapping, differs);
  }
  return problems;
}

type Differ = (what: string, model: unknown, script: unknown) => void;

/** Notes where two values differ. */
export function differ(problems: string[], where: string): Differ {
  return (what, model, script) => {
    const [expected, found] = [model, script].map((value) => JSON.stringify(value) ?? 'nothing');
    if (expected !== found)
      problems.push(`${where}, ${what}: the model has ${expected}, the scripts ${found}`);
  };
}

function compareHash(
  model: ModelHash,
  fields: ReadonlyMap<string, string> | undefined,
  mapping: Mapping,
  differs: Differ,
): void {
  const { id, reigns, generations, holder, ringLength } = mapping;
  differs('a hash', model.e > 0, fields !== undefined);
  if (model.e === 0 || fields === undefined) return;
  const number = (field: string) => Number(fields.get(field));
  // The model has one key, which follows the name of the reign.
  differs('e', reigns.of(model.e), fields.get('e')?.split(':')[0]);
  differs('r', realmOf(model.r - 1), fields.get('r'));
  differs('g', generations.of(model.g), fields.get('g'));
  let current = segment(number('v_l'), number('v_h'));
  let next = segment(number('n_l'), number('n_h'));
  // The scripts move on to the next segment when they need it, the model as soon as the current one is used
  // up.
  if (current === 'empty') [current, next] = [next, 'empty'];
  differs('current segment', segmentOf(model.vl, model.vh, id), current);
  differs('next segment', segmentOf(model.nl, model.nh, id), next);
  differs('high-water mark', id(model.m), number('m'));
  differs('debt', model.d, number('d'));
  differs('fills', model.q, number('q'));
  differs('holder of the lease', model.k === 0 ? '' : holder(model.k - 1), fields.get('k'));
  for (const entry of model.entries) {
    const real = [entry.number, id(entry.low), id(entry.high)].join(':');
    differs(`entry of fill ${entry.number}`, real, fields.get(`b${entry.number % ringLength}`));
  }
}

function segment(low: number, high: number): string {
  return low > high ? 'empty' : `${low} to ${high}`;
}

function segmentOf(low: number, high: number, id: Mapping['id']): string {
  return low === 0 ? 'empty' : segment(id(low), id(high));
}

/**
 * Pairs small numbers of the model with names of the scripts. The model reuses a number once nobody remembers
 * its meaning; a name is never reused.
 */
export class Names {
  readonly #what: string;
  readonly #real = new Map<number, string>();
  readonly #given = new Set<string>();

  constructor(what: string) {
    this.#what = what;
  }

  /** Pairs `model` with `real` from now on. Returns a problem if the name was used before. */
  begin(model: number, real: string): string | undefined {
    const problem = this.#given.has(real) ? `${this.#what} ${real} was given before` : undefined;
    this.#given.add(real);
    this.#real.set(model, real);
    return problem;
  }

  /** The name paired with `model`; before `begin`, a name that nothing has. */
  of(model: number): string {
    return this.#real.get(model) ?? `${this.#what} ${model} that never was`;
  }
}
