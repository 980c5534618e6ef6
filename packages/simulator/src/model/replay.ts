import { Client, type ReplayOptions } from './client.js';
import { compareState, type Mapping } from './compare-state.js';
import { Names } from './names.js';
import { Servers } from './servers.js';
import type { ModelState, Walk } from './walk.js';

/** A step after which the scripts were not where the model was. */
export interface Disagreement {
  /** From 0 on. */
  readonly step: number;
  readonly problems: readonly string[];
}

/** Steps from one look at what must be refused to the next: errors take most of the time. */
const REFUSALS_EVERY = 4;

/**
 * Takes each step of a walk with the scripts, on simulated servers; ends at the first
 * step where the two differ.
 */
export async function replay(walk: Walk, options: ReplayOptions): Promise<Disagreement | undefined> {
  const servers = new Servers(options.seed);
  const clients: Client[] = [];
  const mapping: Mapping = {
    reigns: new Names('reign'),
    generations: new Names('generation'),
    id: (small) => (small === 0 ? 0 : options.firstId - 1 + small),
    holder: (client) => clients[client]?.holder ?? '',
    ringLength: options.ringLength,
  };
  mapping.reigns.begin(1, servers.nodes[0].replid);
  clients.push(new Client(0, servers, mapping, options), new Client(1, servers, mapping, options));
  let before: ModelState | undefined;
  for (const [number, step] of walk.steps.entries()) {
    const problems: string[] = [];
    for (const line of step.lines) {
      const reign = servers.happens(line)?.newReign;
      if (reign !== undefined) {
        const stamp = step.after.nodes[reign]?.stamp ?? 0;
        const problem = mapping.reigns.begin(stamp, servers.node(reign).replid);
        if (problem !== undefined) problems.push(problem);
      }
      const client = clients[line.numbers.client ?? clients.length];
      if (client !== undefined) problems.push(...(await client.does(line, { number, step, before })));
    }
    problems.push(...compareState(step, servers, mapping));
    if (problems.length === 0 && number % REFUSALS_EVERY === 0) {
      const client = clients[(number / REFUSALS_EVERY) % 2];
      problems.push(...((await client?.isRefused(step.after)) ?? []));
    }
    if (problems.length > 0) return { step: number, problems };
    before = step.after;
  }
  return undefined;
}
