import { type Id, type IdGenerator, isSyncGenerator } from '@ids/core';
import type { IssuedIds, IssueResponse } from '@ids/http/wire';
import type { Visitor } from './access.js';
import { Grace } from './grace.js';
import type { Limits } from './limits.js';
import { badRequest, mayHaveTaken, Problem, problemOf, unknownGenerator, wireProblem } from './problems.js';
import type { RequestLife } from './request-life.js';
import type { ParsedCall, ParsedIssue } from './schemas.js';
import { isKeyed, type ServedGenerator, type ServedGenerators } from './served.js';
import type { Tallies, Tally } from './tally.js';

/** What became of one call. */
type Outcome =
  | { readonly issued: IssuedIds }
  | { readonly problem: Problem; readonly count: number; readonly error: unknown };

export interface IssueReport {
  /** One for each call, in the order of the calls. */
  readonly results: IssueResponse['results'];
  /** That of the first call, if none of them got ids: what the status of the response says. */
  readonly problem: Problem | undefined;
  /** How many ids the response has. */
  readonly ids: number;
  /** How many ids were asked for and surely not taken from any store. */
  readonly untaken: number;
  /** The errors behind its problems. */
  readonly errors: readonly unknown[];
}

export interface IssueContext {
  readonly generators: ServedGenerators;
  readonly tallies: Tallies;
  readonly visitor: Visitor;
  readonly limits: Limits;
  readonly life: RequestLife;
}

/**
 * Makes all calls of a request at once, so that those of one generator stay in their order. Each of them
 * succeeds or fails on its own. The ids of a call that fails after the store was asked are a gap, so also
 * those of one that gets them only `graceMs` after another got its own.
 */
export async function issue(
  { calls, graceMs }: Pick<ParsedIssue, 'calls' | 'graceMs'>,
  context: IssueContext,
): Promise<IssueReport> {
  const grace = graceMs === undefined ? undefined : new Grace(graceMs);
  const life =
    grace === undefined ? context.life : { signal: AbortSignal.any([context.life.signal, grace.signal]) };
  const { generators, tallies, visitor, limits } = context;
  // Not spread, which takes longer than to issue an id.
  const shared = { generators, tallies, visitor, limits, life, grace, isAlone: calls.length === 1 };
  const started = calls.map((call) => outcomeOf(call, shared));
  const outcomes: Outcome[] = [];
  for (const one of started) outcomes.push(await one);
  grace?.end();
  return reportOf(outcomes);
}

interface CallContext extends IssueContext {
  readonly grace: Grace | undefined;
  /** Whether it is the only call of its request. */
  readonly isAlone: boolean;
}

/** Never rejects. */
async function outcomeOf(call: ParsedCall, context: CallContext): Promise<Outcome> {
  const { generators, tallies, visitor, grace } = context;
  const { generator: name, count } = call;
  let tally: Tally | undefined;
  try {
    const served = servedAs(generators, name);
    tally = tallies.of(name, served.generator);
    const ids = await idsOf(served, call, context);
    tally.gave(visitor.name, { way: 'issued', ids: ids.length });
    grace?.start();
    return { issued: { realm: served.realm ?? null, ids: ids.map(String) } };
  } catch (error) {
    tally?.failed(error);
    return { problem: problemOf(error), count, error };
  }
}

function reportOf(outcomes: readonly Outcome[]): IssueReport {
  const results: IssueResponse['results'][number][] = [];
  const errors: unknown[] = [];
  let [ids, untaken] = [0, 0];
  for (const outcome of outcomes) {
    if ('issued' in outcome) {
      results.push(outcome.issued);
      ids += outcome.issued.ids.length;
    } else {
      const { problem, count, error } = outcome;
      results.push({ problem: wireProblem(problem) });
      errors.push(error);
      if (!mayHaveTaken(problem)) untaken += count;
    }
  }
  const [first] = outcomes;
  // If nothing was issued, the status says so, and proxies and load balancers see a failure.
  const problem = ids === 0 && first !== undefined && 'problem' in first ? first.problem : undefined;
  return { results, problem, ids, untaken, errors };
}

/** Also for names such as `constructor`, which every object seems to have. */
export function servedAs(generators: ServedGenerators, name: string): ServedGenerator {
  const served = Object.hasOwn(generators, name) ? generators[name] : undefined;
  if (served === undefined) throw unknownGenerator(name);
  return served;
}

function idsOf(
  served: ServedGenerator,
  call: ParsedCall,
  context: CallContext,
): Promise<readonly Id[]> | readonly Id[] {
  const { generator: name, key, count, startAfter } = call;
  const { life, isAlone } = context;
  if (isKeyed(served)) {
    if (key === undefined)
      throw badRequest(`generator ${JSON.stringify(name)} issues ids by key: give "key"`);
    assertMayStart(name, startAfter, context);
    return served.generator.nextBatch(key, count, { signal: life.signal, startAfter });
  }
  if (key !== undefined || startAfter !== undefined)
    throw badRequest(`generator ${JSON.stringify(name)} has no keys: leave "key" and "startAfter" out`);
  const generator = served.generator as IdGenerator;
  // Among other calls, it could overtake one that waits.
  const fromMemory = isAlone ? idsInMemory(generator, count) : undefined;
  return fromMemory ?? generator.nextBatch(count, { signal: life.signal });
}

/**
 * A start is a floor: one near the end of the range uses a key up, and once that is deleted, all keys that
 * begin later.
 */
function assertMayStart(name: string, startAfter = 0, { visitor, limits }: CallContext): void {
  if (startAfter <= limits.floorJump || visitor.may('floor', name)) return;
  throw new Problem(
    403,
    'ERR_IDS_CONFIG',
    `"startAfter" may be at most ${limits.floorJump} without the right "floor", got ${startAfter}`,
  );
}

/** Needs no signal, which takes longer to make than the ids; undefined if there are too few. */
function idsInMemory(generator: IdGenerator, count: number): readonly Id[] | undefined {
  if (!isSyncGenerator(generator)) return undefined;
  const { remaining = count } = generator.health();
  // A synchronous call that fails counts as one of a service that does not wait.
  if (remaining < count) return undefined;
  try {
    return generator.nextBatchSync(count);
  } catch {
    // The call that may wait says what is wrong.
    return undefined;
  }
}
