import { faultTest } from '@ids/local-services/fault-test';
import { expect } from 'vitest';
import { type Guard, TABLE_GUARDS } from '../../src/guards.js';
import { withoutGuard } from '../../src/without-guard.js';

import { NAME, RealPair, SimulatedPair, type StandbyPair } from '../support/both-standbys.js';

/**
 * What is compared: reservations while the standby is out of reach and waits are cancelled, and what it
 * gives once it is promoted.
 */
async function play(pair: StandbyPair): Promise<unknown> {
  const { warnings } = await pair.run((source) => source.describe(NAME));
  const before = await pair.run((source) => source.reserve(NAME, 10));
  await pair.cut();
  const first = await pair.start((source) => source.reserve(NAME, 10));
  const { maxId: seenMeanwhile } = await pair.run((source) => source.describe(NAME));
  const outcomes = [await pair.cancelUntilEnded(first)];
  const second = await pair.start((source) => source.reserve(NAME, 10));
  outcomes.push(await pair.cancelUntilEnded(second));
  await pair.promote();
  const after = await pair.run((source) => source.reserve(NAME, 10));
  const given = [before, ...outcomes, after].map(withoutOrigin);
  return { warnings, seenMeanwhile, before: given[0], outcomes: given.slice(1, -1), after: given.at(-1) };
}

/** Two servers have names of their own. */
function withoutOrigin(outcome: unknown): unknown {
  if (typeof outcome !== 'object' || outcome === null || !('origin' in outcome)) return outcome;
  const { origin: _, ...rest } = outcome;
  return rest;
}

/** What the promoted standby gives: nothing is skipped. */
const PROMOTED = { low: 11, high: 20, newReign: { cause: 'failover', skipped: 0 } };

const CASES: readonly (readonly [what: string, guard: Guard | undefined])[] = [
  ['with all guards', undefined],
  ...TABLE_GUARDS.filter(
    ({ name }) => name.endsWith('of the standby') || name.endsWith('for the standby'),
  ).map((guard) => [`without the ${guard.name}`, guard] as const),
];

for (const [what, guard] of CASES) {
  faultTest(`a synchronous standby is as that of Postgres, ${what}`, async () => {
    const wrap = guard && withoutGuard(guard).wraps().wrapTable;
    await using real = await RealPair.open(wrap);
    await using simulated = await SimulatedPair.open(wrap);
    const played = await play(real);
    expect(await play(simulated)).toEqual(played);
    const refused = {
      code: 'ERR_IDS_UNAVAILABLE',
      message: expect.stringMatching(/is not used.*replicated/),
    };
    expect(played).toMatchObject({
      outcomes:
        guard === undefined
          ? [refused, refused]
          : [
              { low: 11, high: 20 },
              { low: 21, high: 30 },
            ],
      // Where a guard is off somebody has used these ids.
      after: PROMOTED,
    });
  });
}
