import { setTimeout as pause } from 'node:timers/promises';
import type { Crew } from './crew.js';
import type { Random } from './random.js';
import type { World } from './world.js';

interface Scene {
  readonly world: World;
  readonly crew: Crew;
  readonly random: Random;
}

/** Something that goes wrong and is over when it resolves. */
export type Fault = (scene: Scene) => Promise<void>;

/** Those after which nothing but numbers may be missing. */
export const faults: Readonly<Record<string, Fault>> = {
  'kill a process': ({ crew, random }) => crew.replace(random.between(0, crew.size - 1)),

  'stop a process': async ({ crew, random }) => {
    const index = random.between(0, crew.size - 1);
    crew.signal(index, 'SIGSTOP');
    // Up to beyond the end of a refill lease.
    await pause(random.between(100, 4_000));
    crew.signal(index, 'SIGCONT');
  },

  'stop Redis': async ({ world, random }) => {
    world.primary.pause();
    await pause(random.between(100, 1_500));
    world.primary.resume();
  },

  'restart Redis from an old dump': async ({ world, random }) => {
    await world.redis((client) => client.save());
    await pause(random.between(50, 500));
    await world.primary.kill();
    await world.primary.restart();
    await world.follow();
  },

  // Who has lost its memory cannot notice that Redis lost some too.
  'restart Redis from an old dump, and every process': async ({ world, crew, random }) => {
    await world.redis((client) => client.save());
    await pause(random.between(50, 500));
    await crew.replaceAll(async () => {
      await world.primary.kill();
      await world.primary.restart();
    });
    await world.follow();
  },

  'fail over to a lagging replica': async ({ world, random }) => {
    await world.cutReplication();
    await pause(random.between(50, 500));
    await world.promote();
    await world.killOld();
    for (const door of world.doors) world.lead(door);
    await world.follow();
  },

  'fail over, the old primary lives on as a replica': async ({ world, random }) => {
    await world.cutReplication();
    await pause(random.between(50, 300));
    // Nobody may take from both at once, which would be a split brain.
    for (const door of world.doors) {
      await door.setMode('blackhole');
      door.cut();
    }
    await world.promote();
    for (const door of world.doors) {
      world.lead(door);
      await door.setMode('pass');
    }
    await world.follow();
  },

  FLUSHALL: ({ world }) => world.redis(async (client) => void (await client.flushall())),
  'DEL the hash': ({ world }) => world.redis(async (client) => void (await client.del(world.key))),
  'let the hash expire': ({ world }) =>
    world.redis(async (client) => void (await client.pexpire(world.key, 1))),
  'SCRIPT FLUSH': ({ world }) => world.redis(async (client) => void (await client.script('FLUSH'))),

  'cut connections': async ({ world }) => {
    for (const door of world.doors) door.cut();
  },

  'swallow replies, then cut': async ({ world, random }) => {
    const door = random.pick(world.doors);
    await door.setMode('swallow-replies');
    await pause(random.between(1, 100));
    door.cut();
    await door.setMode('pass');
  },

  'crash the database': async ({ world }) => {
    await world.postgres.stop('immediate');
    await world.postgres.start();
  },

  'stop the database for a while': async ({ world, random }) => {
    await world.postgres.stop('fast');
    await pause(random.between(100, 3_000));
    await world.postgres.start();
  },

  'wind the database back': ({ world, random }) =>
    world.sql(async (executor) => {
      const table = world.table;
      const read = async () =>
        Number((await executor.execute(`SELECT max_id FROM ${table}`, [])).rows[0]?.max_id);
      await executor.execute(`ALTER TABLE ${table} DISABLE TRIGGER USER`, []);
      const before = await read();
      await executor.execute(`UPDATE ${table} SET max_id = $1::bigint`, [
        Math.max(0, before - random.between(1, 100_000)),
      ]);
      await executor.execute(`ALTER TABLE ${table} ENABLE TRIGGER USER`, []);
      // Until it is noticed nothing else may be lost: that would be the double loss, for
      // which nothing is promised.
      const end = Date.now() + 60_000;
      while ((await read()) <= before) {
        if (Date.now() > end) throw new Error('nobody noticed that the database went back');
        await pause(50);
      }
    }),

  'lock the row': ({ world, random }) => lockRow(world, random.between(100, 1_500)),

  // Commands that run twice, before and after a loss, while bookings wait for the database.
  'lose the state, replies and the state again, then resend, while the database is slow': async (scene) => {
    const { world, random } = scene;
    const slow = lockRow(world, random.between(800, 2_500));
    const door = random.pick(world.doors);
    const other = world.doors[door === world.doors[0] ? 1 : 0];
    other.delay(random.between(0, 80));
    await loseState(scene);
    await door.setMode('swallow-replies');
    await pause(random.between(10, 300));
    await loseState(scene);
    await pause(random.between(0, 100));
    await door.setMode('pass');
    door.cut();
    await slow;
    other.delay(0);
  },

  'lose replies and the state, then resend, again and again': async (scene) => {
    const { world, random } = scene;
    for (let i = 0; i < 5; i++) {
      const door = random.pick(world.doors);
      await door.setMode('swallow-replies');
      await pause(random.between(1, 60));
      await loseState(scene);
      await door.setMode('pass');
      door.cut();
      await pause(random.between(0, 200));
    }
  },
};

async function lockRow(world: World, ms: number): Promise<void> {
  await world.sql(async (executor) => {
    await executor.execute(
      `WITH locked AS (SELECT 1 FROM ${world.table} FOR UPDATE) SELECT pg_sleep($1::float8) FROM locked`,
      [ms / 1_000],
    );
  });
}

/** One of the ways to lose the hash or its reign that take no time. */
async function loseState({ world, random }: Scene): Promise<void> {
  const ways = [
    () => world.redis(async (client) => void (await client.flushall())),
    () => world.redis(async (client) => void (await client.del(world.key))),
    () => world.takeOver(),
  ];
  await random.pick(ways)();
}

/**
 * Both halves of the processes have a primary of their own for a while: ids stay unique,
 * their order is not promised.
 */
export const splitBrain: Fault = async ({ world, random }) => {
  await world.cutReplication();
  await pause(random.between(50, 300));
  await world.promote();
  world.lead(world.doors[1]);
  await pause(500);
  world.lead(world.doors[0]);
  await world.follow();
};
