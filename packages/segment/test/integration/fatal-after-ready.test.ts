import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type FaultProxy, startFaultProxy } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, inject, onTestFinished } from 'vitest';

/** What a Postgres that is shut down sends: `ErrorResponse` with FATAL 57P01. */
function postgresFatal(): Buffer {
  const fields = {
    S: 'FATAL',
    V: 'FATAL',
    C: '57P01',
    M: 'terminating connection due to administrator command',
  };
  const texts = Object.entries(fields).map(([type, value]) => `${type}${value}\0`);
  const body = Buffer.from(`${texts.join('')}\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** The same of a MySQL: an ERR packet with 1053, after which it closes the connection. */
function mysqlFatal(): Buffer {
  const body = Buffer.concat([
    Buffer.from([0xff, 1053 & 0xff, 1053 >> 8]),
    Buffer.from('#08S01Server shutdown in progress'),
  ]);
  return Buffer.concat([Buffer.from([body.length, 0, 0, 0]), body]);
}

/** `ReadyForQuery`, outside a transaction: the last message of a log-in. */
const READY = Buffer.from('5a0000000549', 'hex');

const servers = {
  postgres: {
    url: () => inject('databaseUrl'),
    fatal: postgresFatal(),
    follows: (reply: Uint8Array) => READY.equals(reply.subarray(-READY.length)),
  },
  mysql: {
    url: () => inject('mysqlUrl'),
    fatal: mysqlFatal(),
    // An OK packet: the end of a log-in.
    follows: (reply: Uint8Array) => reply[4] === 0,
  },
};

/** The URL of a server that ends its first connection in the same chunk in which it accepts it. */
async function endingUrl({ url, follows, fatal }: (typeof servers)[keyof typeof servers]): Promise<string> {
  const { hostname: host, port } = new URL(url());
  const proxy: FaultProxy = await startFaultProxy({ target: { host, port: Number(port) } });
  onTestFinished(() => proxy.close());
  await injectFault(() => proxy.appendToReply(follows, fatal));
  return proxy.url(url());
}

/**
 * Runs `script` in a process of its own, with `given`. Resolves with what it printed and, if an error ended
 * it, with that error.
 */
async function run(script: string, given: unknown) {
  const imports = `
    import net from 'node:net';
    import pg from 'pg';
    import mysql from 'mysql2/promise';
    import { fromMysql, fromMysqlUrl, fromPg, fromPgUrl } from './src/sql/index.js';
    const given = JSON.parse(process.argv[1]);
    const poolOf = (url) => new pg.Pool({ connectionString: url }).on('error', () => {});
    const select = (executor) =>
      executor.execute('SELECT 1 AS one', []).then(({ rows }) => JSON.stringify(rows), () => 'rejected');
  `;
  const text = `${imports}${script}process.exit();`;
  const command = ['--import', 'tsx', '--input-type=module', '--eval', text, JSON.stringify(given)];
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  return promisify(execFile)(process.execPath, command, { cwd }).then(
    ({ stdout }) => ({ stdout, died: undefined }),
    ({ stdout, stderr }) => ({ stdout, died: String(stderr) }),
  );
}

describe('a process whose connection ends in the chunk that opens it', () => {
  faultTest('lives on, and uses another connection', async () => {
    const urls = [
      await endingUrl(servers.postgres),
      await endingUrl(servers.postgres),
      await endingUrl(servers.mysql),
      await endingUrl(servers.mysql),
    ];
    const ended = await run(
      `const executors = [
        await fromPgUrl(given[0]),
        fromPg(poolOf(given[1])),
        await fromMysqlUrl(given[2]),
        fromMysql(mysql.createPool(given[3])),
      ];
      for (const one of executors) console.log(await select(one), await select(one));`,
      urls,
    );
    expect(ended).toEqual({ stdout: 'rejected [{"one":1}]\n'.repeat(urls.length), died: undefined });
  });

  faultTest('would die, if connections of a pool of pg came a turn later', async () => {
    const { died } = await run(
      `const pool = poolOf(given);
      const connect = (callback) => void pool.connect().then((client) => callback(undefined, client), callback);
      console.log(await select(fromPg({ connect, totalCount: 0, idleCount: 0 })));`,
      await endingUrl(servers.postgres),
    );
    expect(died).toMatch(/Unhandled 'error' event.*terminating connection/s);
  });
});

faultTest('a process lives on whose idle connection to a MySQL ends, and then breaks', async () => {
  // The end, and later the timeout of what the driver sent after it, as the system reports it.
  const fault = (await injectFault(() => servers.mysql.fatal.toString('base64'))) ?? '';
  const ended = await run(
    `const [url, fault] = given;
    const sockets = [];
    const { connect } = net;
    net.connect = (...options) => {
      const socket = connect(...options);
      sockets.push(socket);
      return socket;
    };
    const executor = await fromMysqlUrl(url, { max: 1 });
    const first = await select(executor);
    if (fault !== '') {
      sockets[0].emit('data', Buffer.from(fault, 'base64'));
      sockets[0].destroy(Object.assign(new Error('read ETIMEDOUT'), { code: 'ETIMEDOUT', syscall: 'read' }));
      await new Promise((resolve) => sockets[0].once('close', resolve));
    }
    console.log(first, await select(executor), sockets.length);`,
    [inject('mysqlUrl'), fault],
  );
  expect(ended).toEqual({ stdout: '[{"one":1}] [{"one":1}] 2\n', died: undefined });
});
