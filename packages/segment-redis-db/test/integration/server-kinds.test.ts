import { startRedis, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { describe, expect, inject, it } from 'vitest';
import { MINIMAL_ACL } from '../../src/index.js';
import { Fixture, fault } from '../support/fixture.js';
import { MUTANTS } from '../support/mutant.js';

const INSTEAD = 'segment-inproc with order: "real-time"';

describe('a dispenser', () => {
  faultTest('serves where INFO takes one section at a time, behind the same fence', async () => {
    await using fixture = new Fixture('ids:', MUTANTS.beforeRedis7);
    await using server = await startRedis();
    const first = await fixture.take(server.url, 10);
    const client = fixture.client(server.url);
    await client.save();
    const lost = await fixture.take(server.url, 10);
    await injectFault(async () => {
      await server.kill();
      await server.restart();
    });
    expect(fault([...first, ...lost, ...(await fixture.take(server.url, 10))])).toBeUndefined();
    expect(fixture.voids).toEqual(['reign']);
  });

  it('refuses a server that does not say whether it is in a Cluster', async () => {
    await using fixture = new Fixture('ids:', MUTANTS.noClusterSection);
    await using server = await startRedis();
    await expect(fixture.generator(server.url)).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('whether it is in a Cluster'),
    });
  });

  // Dragonfly shows a replication id that it keeps through a promotion, and no second one.
  it.each([
    [MUTANTS.noRole, 'role'],
    [MUTANTS.noReplicationId, 'replication id'],
    [MUTANTS.noSecondId, 'master_replid2'],
    [MUTANTS.noSecondOffset, 'second_repl_offset'],
    [MUTANTS.noCommandCount, 'total_commands_processed'],
  ])('refuses a server as if $name, by which reigns or generations are told apart', async (mutant, named) => {
    await using fixture = new Fixture(uniqueName('kinds'), mutant);
    await expect(fixture.generator(inject('redisUrl'))).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(new RegExp(`IDS_NO_REIGN.*${named}.*${INSTEAD}`)),
      retryable: false,
    });
  });

  it('refuses a server whose scripts may not call INFO, and names what to use instead', async () => {
    await using fixture = new Fixture(uniqueName('kinds'), MUTANTS.noInfoInScripts);
    await expect(fixture.generator(inject('redisUrl'))).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringMatching(new RegExp(`not allowed from script.*${INSTEAD}`)),
      retryable: false,
    });
  });

  // Not INFO: the start of the test's own server asks for it.
  it.each(['EVAL', 'EVALSHA', 'TYPE', 'HMGET', 'HGET', 'HSET', 'TIME'])(
    'refuses a server on which %s was renamed, and names it',
    async (command) => {
      await using fixture = new Fixture('ids:');
      await using server = await startRedis({ args: ['--rename-command', command, `RENAMED-${command}`] });
      await expect(fixture.generator(server.url)).rejects.toMatchObject({
        code: 'ERR_IDS_CONFIG',
        retryable: false,
        message: expect.stringContaining(`does not know the command "${command}"`),
      });
      expect(MINIMAL_ACL).toContain(`+${command.toLowerCase()}`);
    },
  );

  it('refuses a server on which WAIT was renamed, where replicas must confirm', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis({ args: ['--rename-command', 'WAIT', 'RENAMED-WAIT'] });
    await expect(fixture.generator(server.url, { waitReplicas: 1 })).rejects.toMatchObject({
      code: 'ERR_IDS_CONFIG',
      message: expect.stringContaining('does not know the command "WAIT"'),
    });
  });

  it('leaves no error in the statistics of the server, which operators watch', async () => {
    await using fixture = new Fixture('ids:');
    await using server = await startRedis();
    const client = fixture.client(server.url);
    const errors = async () => /total_error_replies:\d+/.exec(await client.info('stats'))?.[0];
    const generator = await fixture.generator(server.url);
    await generator.ready();
    await generator.next();
    const before = await errors();
    expect(before).toBeDefined();
    for (let take = 0; take < 100; take++) await generator.next();
    expect(await errors()).toBe(before);
  });
});
