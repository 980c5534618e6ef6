import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { startRedis, uniqueName } from '@ids/local-services';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import type {} from '@ids/local-services/vitest-setup';
import { createSegmentRedisDbGenerator } from '@ids/segment-redis-db';
import { Redis } from 'ioredis';
import { expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { healthRoutes } from '../../src/recipes/health.js';
import { configFolder } from '../support/config-folder.js';
import { ownSchema } from '../support/own-schema.js';
import { ServiceProcess } from '../support/service-process.js';

const pageOf = (path: string) => readFile(new URL(`../../../../docs/${path}`, import.meta.url), 'utf8');
const page = await pageOf('deployment.md');

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}
interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly volumes: readonly { readonly name: string }[];
  readonly containers: readonly [
    {
      readonly ports: readonly { readonly containerPort: number }[];
      readonly env: readonly { readonly name: string; readonly value: string }[];
      readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
      readonly readinessProbe: Probe;
      readonly livenessProbe: Probe;
    },
  ];
}

/** The block of that language in the page. */
function block(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  if (text === undefined) throw new Error(`docs/deployment.md has no block of ${language}`);
  return text;
}

const pod: PodSpec = parse(block('yaml')).spec.template.spec;
const [container] = pod.containers;
const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
const [mount] = container.volumeMounts;

/** How long a call may wait, and how long closing takes: the defaults of the strategies, in seconds. */
const [DEADLINE_S, CLOSE_S] = [5, 1];
/** How long the readiness probe of the recipe waits for a generator, in seconds. */
const READY_S = 0.5;

it('the manifest leaves enough time for draining, for calls under way and for closing', () => {
  const { readinessProbe: ready, livenessProbe: live } = container;
  const drain = Number(env.DRAIN_MS) / 1_000;
  expect(drain).toBeGreaterThan(ready.periodSeconds * ready.failureThreshold);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(drain + DEADLINE_S + CLOSE_S);
  expect(ready.timeoutSeconds).toBeGreaterThan(READY_S);
  const ports = [ready.httpGet.port, live.httpGet.port, container.ports[0]?.containerPort, Number(env.PORT)];
  expect(new Set(ports).size).toBe(1);
  expect(pod.volumes.map(({ name }) => name)).toEqual(container.volumeMounts.map(({ name }) => name));
});

/** Of a network if there is one: a server that listens on 127.0.0.1 only is not reached at it. */
function addressOfThisMachine(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.2';
}

it('the probes of the manifest ask what the recipe serves', async () => {
  const server = createServer(healthRoutes({})).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    for (const { httpGet } of [container.readinessProbe, container.livenessProbe])
      expect((await fetch(`http://127.0.0.1:${port}${httpGet.path}`)).status).toBe(200);
  } finally {
    server.close();
  }
});

faultTest(
  'the manifest starts the service by its secrets, keeps it alive without Redis, and drains it at SIGTERM',
  async () => {
    await using schema = await ownSchema(inject('databaseUrl'));
    const redis = await startRedis();
    const order = { strategy: 'segment-redis-db', deadlineMs: 2_000, keyPrefix: `${uniqueName('pod')}:` };
    await using folder = await configFolder({ generators: { order } });
    const secrets = join(folder.cwd, 'secrets');
    await mkdir(secrets);
    await writeFile(join(secrets, 'redis-url'), `${redis.url}\n`);
    await writeFile(join(secrets, 'database-url'), `${schema.url}\n`);
    const files = Object.entries(env).filter(([name]) => name.endsWith('_FILE'));
    const mounted = files.map(([name, path]) => [name, path.replace(mount?.mountPath ?? '', secrets)]);
    try {
      const environment = { ...Object.fromEntries(mounted), HOST: env.HOST };
      await using service = await ServiceProcess.start(folder.cwd, 3_000, environment);
      // A kubelet asks at the address of the pod.
      const origin = service.origin.replace('127.0.0.1', addressOfThisMachine());
      const { readinessProbe, livenessProbe } = container;
      const ask = async (path: string, method = 'GET') =>
        (await fetch(origin + path, { method, headers: { connection: 'close' } })).status;
      const probes = async () => [
        await ask(readinessProbe.httpGet.path),
        await ask(livenessProbe.httpGet.path),
      ];
      // A kubelet asks until it is so: the first probe fetches ids, for at most READY_S.
      await expect.poll(probes).toEqual([200, 200]);
      expect(await ask('/orders', 'POST')).toBe(201);

      await injectFault(() => redis.kill());
      expect(await ask('/orders', 'POST')).toBe(503);
      await expect.poll(probes).toEqual([503, 200]);
      await injectFault(() => redis.restart());
      await expect.poll(probes).toEqual([200, 200]);

      await service.terminate();
      expect(await probes()).toEqual([503, 200]);
      expect(await ask('/orders', 'POST')).toBe(201);
      expect(await service.exit()).toEqual([0, null]);
    } finally {
      await redis.close();
    }
  },
);

it('the command for restores shows the end of the last segment that Redis got', async () => {
  const restores = await pageOf('operations/segment-table.md');
  const [, prefix = '', field = ''] = /HGET '(\w+:)\{order\}' (\w+)`/.exec(restores) ?? [];
  await using schema = await ownSchema(inject('databaseUrl'));
  const redis = await startRedis();
  const client = new Redis(redis.url);
  try {
    const options = { name: 'order', redis: redis.url, database: schema.pool };
    await using ids = await createSegmentRedisDbGenerator(options);
    await ids.next();
    const { rows } = await schema.pool.query("SELECT max_id FROM id_segment WHERE server_name = 'order'");
    expect(await client.hget(`${prefix}{order}`, field)).toBe(rows[0].max_id);
  } finally {
    client.disconnect();
    await redis.close();
  }
});

it('a Redis takes the settings of the page', async () => {
  const settings = block('conf')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' ') as [string, string]);
  const args = settings.flatMap(([name, value]) => [`--${name}`, value.replaceAll('"', '')]);
  const redis = await startRedis({ args });
  const client = new Redis(redis.url);
  try {
    const found = await client.config('GET', 'save', 'appendonly', 'maxmemory', 'maxmemory-policy');
    const pairs = found as string[];
    const byName = Object.fromEntries(pairs.flatMap((name, i) => (i % 2 ? [] : [[name, pairs[i + 1]]])));
    expect(byName).toEqual({
      save: '',
      appendonly: 'no',
      maxmemory: String(64 * 2 ** 20),
      'maxmemory-policy': 'noeviction',
    });
  } finally {
    client.disconnect();
    await redis.close();
  }
});
