import { type RedisCluster, startRedisCluster } from '@ids/local-services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BothClusters } from '../support/both-clusters.js';

/** Its slot is the first master's. */
const KEY = 'ids:{s2}';
const [HOME, AWAY] = [0, 1];
const NODES = [0, 1, 2, 3, 4, 5];
const [REPLICA_OF_HOME, REPLICA_OF_AWAY] = [3, 4];

const WRITE = "redis.call('HSET', KEYS[1], 'f', ARGV[1]) return redis.call('HGET', KEYS[1], 'f')";

/**
 * With a key and without, in scripts and out, of a script that the server knows and of one that it does not.
 */
const QUESTIONS: readonly (readonly string[])[] = [
  ['HGET', KEY, 'f'],
  ['HMGET', KEY, 'f', 'g'],
  ['TYPE', KEY],
  ['EVAL', "return redis.call('HGET', KEYS[1], 'f')", '1', KEY],
  ['EVAL', WRITE, '1', KEY, 'v'],
  ['EVALSHA', 'a'.repeat(40), '1', KEY],
  ['EVAL', "return redis.call('HGET', ARGV[1], 'f')", '0', KEY],
  ['EVAL', "local r = redis.pcall('HGET', ARGV[1], 'f') return type(r) == 'table' and r.err or r", '0', KEY],
  ['EVAL', "return redis.call('INFO', 'cluster')", '0'],
];

let real: RedisCluster;
let both: BothClusters;
beforeAll(async () => {
  real = await startRedisCluster({ replicasPerMaster: 1 });
  both = new BothClusters(real, KEY);
});
afterAll(async () => {
  both?.close();
  await real?.close();
});

async function sameAnswers(nodes: readonly number[], { asking = false } = {}): Promise<string[]> {
  const errors: string[] = [];
  for (const node of nodes) {
    for (const question of QUESTIONS) {
      const { real, simulated } = await both.ask(node, question, { asking });
      expect(simulated, `node ${node}: ${question.join(' ')}`).toEqual(real);
      errors.push(String(real).split(' ')[0] ?? '');
    }
  }
  return errors;
}

/** Real nodes hear of changes a little later. */
async function sameInfo(): Promise<void> {
  for (const node of NODES) {
    await expect
      .poll(async () => {
        const { real, simulated } = await both.info(node);
        return { node, real, same: JSON.stringify(real) === JSON.stringify(simulated) ? 'same' : simulated };
      })
      .toMatchObject({ same: 'same' });
  }
}

describe('a simulated Cluster is like a real one', () => {
  it('in what it says of itself, and in how it sends commands elsewhere', async () => {
    await sameInfo();
    expect(await sameAnswers(NODES)).toContain('MOVED');
  });

  it.each([
    ['there', HOME, AWAY],
    ['and back', AWAY, HOME],
  ])('in each step of a move of a slot, %s', async (_, from, to) => {
    await sameAnswers([from]);
    await both.openSlot(from, to);
    await sameAnswers(NODES);
    await sameAnswers([from], { asking: true });
    await both.migrate(from, to);
    expect(await sameAnswers([from])).toContain('ASK');
    expect(await sameAnswers([to])).toContain('MOVED');
    expect(await sameAnswers([to], { asking: true })).not.toContain('MOVED');
    await both.setNode(to, to);
    await sameAnswers([to]);
    await both.setNode(from, to);
    await sameInfo();
    await sameAnswers(NODES);
  });

  it('when a replica takes over, of the master that serves the slot and of another', async () => {
    for (const replica of [REPLICA_OF_AWAY, REPLICA_OF_HOME]) {
      await both.takeOver(replica);
      await sameInfo();
      expect(await sameAnswers(NODES)).toContain('MOVED');
    }
  });
});
