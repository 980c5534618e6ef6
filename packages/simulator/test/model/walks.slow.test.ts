import { describe, expect, it } from 'vitest';
import { type Guard, guardNamed, SCRIPT_GUARDS } from '../../src/guards.js';

import { checkWalks } from '../../src/model/check-walks.js';
import { missingTools } from '../../src/model/walk.js';

const missing = await missingTools();
const note = missing === undefined ? '' : ` (skipped: ${missing})`;

/** Whatever a walk can meet: commands, what comes of them, and faults. */
const KINDS = [
  ...['take', 'booked', 'took', 'claim', 'claimed', 'claimAgain', 'lease', 'void', 'lost'],
  ...['reserve', 'install', 'installed', 'low', 'full', 'fails', 'release', 'released'],
  ...['sync', 'failover', 'promotion', 'splitBrain', 'rejoin', 'dump', 'restart', 'flush', 'rewind'],
  ...['connectionBreaks', 'processRestarts', 'commitLost'],
];

/**
 * Seeds whose walks soon come to what is missing, where the first ones do not. A change of the model
 * gives seeds other walks.
 */
const FIRST_SEED: Readonly<Record<string, number>> = {
  'name of a generation': 40,
  'memory of the last id': 254,
  'memory of the top': 3,
  'room of an install': 6,
  'generation of a release': 8,
  NAMED_BY_REQUEST: 8,
};

/** Only WAIT asks for the write, and a walk does not wait; the model has no Cluster, and one key. */
const NOT_IN_THE_MODEL = ['write of a claim', 'cluster epoch', 'key of a hash', 'reigns in the hash'];

/** What is no guard of its own, but has to be as in the model. */
const CHANGES: readonly Guard[] = [
  { name: 'room of an install', out: [['left > room or', 'false or']] },
  { name: 'booked ids', out: [["set('v_l', low + served)", "set('v_l', low)"]] },
  { name: 'place in the ring', out: [["set('b' .. q % 16", "set('b' .. (q + 1) % 16"]] },
  { name: 'realm', out: [['if r and r ~= realm then', 'if false then']] },
  { name: 'lease for its own holder', out: [["k == '' or k == holder or", "k == '' or"]] },
  { name: 'lease of an install', out: [['if s[10] == holder then', 'if false then']] },
  {
    name: 'holder of a release',
    out: [['s[1] == ARGV[1] and s[2] == ARGV[2]', 's[1] == ARGV[1]']],
  },
  {
    name: 'generation of a release',
    out: [['s[1] == ARGV[1] and s[2] == ARGV[2]', 's[2] == ARGV[2]']],
  },
  {
    name: 'list of installed segments',
    out: [["if string.find(' ' .. inst", "if nil and string.find(' ' .. inst"]],
  },
  { name: 'low water of the fast path', out: [['(nl <= nh or vh - vl - n + 1 > lowWater)', 'true']] },
  { name: 'most debt', out: [['if d + missing <= maxDebt then', 'if true then']] },
];

describe.skipIf(missing)(`the model and the scripts${note}`, () => {
  it('agree on every step of random walks', async () => {
    const { failure, kinds, walks } = await checkWalks({ from: 1, walks: 300 });
    expect(failure).toBeUndefined();
    expect(walks).toBe(300);
    for (const kind of KINDS) expect(kinds.get(kind) ?? 0, `lines "${kind}" in 300 walks`).toBeGreaterThan(0);
  });

  it.each([...SCRIPT_GUARDS.filter(({ name }) => !NOT_IN_THE_MODEL.includes(name)), ...CHANGES])(
    'disagree within 200 walks when the scripts miss: $name',
    async (guard) => {
      const { failure } = await checkWalks({ from: FIRST_SEED[guard.name] ?? 1, walks: 200, guard });
      expect(failure).toMatch(/the model has|the scripts serve|was given before|changed the hash/);
    },
  );

  it.each([
    'NO_FENCE',
    'NO_ROLE',
    'NO_GENERATION',
    'NO_MARK',
    'NO_REALM',
    'BOOKED_IDS_STAY',
    'UNNUMBERED_RING',
    'NAMED_BY_REQUEST',
  ])('disagree within 200 walks when the model has %s', async (variant) => {
    const { failure } = await checkWalks({
      from: FIRST_SEED[variant] ?? 1,
      walks: 200,
      variant: { [variant]: '' },
    });
    expect(failure).toMatch(/the model has|the model serves/);
  });

  it('tell what led to a disagreement, and how to make the walk again', async () => {
    const { failure } = await checkWalks({ from: 1, walks: 200, guard: guardNamed('high-water mark') });
    const [command, ...story] = failure?.split('\n') ?? [];
    expect(command).toMatch(/^walk \d+ of: spin -T -n1 -u\d+ -DTRACE -DFAULTS=1 .*dispenser\.pml$/);
    expect(story.some((line) => /^ +\d+ install node \d client \d generation \d+ low \d+/.test(line))).toBe(
      true,
    );
  });

  it('are a broken harness when what is to be taken out is nowhere in the scripts', async () => {
    const guard: Guard = { name: 'nowhere', out: [['no such line', '']] };
    await expect(checkWalks({ from: 1, walks: 5, guard })).rejects.toThrow(/"nowhere" was not switched off/);
  });
});
