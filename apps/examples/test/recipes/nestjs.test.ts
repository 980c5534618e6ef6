import 'reflect-metadata';
import { EventEmitter } from 'node:events';
import type { AddressInfo } from 'node:net';
import { openIds } from '@ids/config';
import { IdError, type IdGenerator, type KeyedIdGenerator } from '@ids/core';
import { ensureKeyedSchema } from '@ids/keyed/sql';
import type {} from '@ids/local-services/vitest-setup';
import {
  IdErrorFilter,
  IdsModule,
  type IdsModuleOptions,
  InjectIds,
  InjectKeyedIds,
  idsToken,
} from '@ids/nestjs';
import { objectid } from '@ids/objectid';
import { createSequence, fromPg } from '@ids/segment/sql';
import { segmentInproc } from '@ids/segment-inproc';
import type { DynamicModule, Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { EMPTY, lastValueFrom } from 'rxjs';
import { expect, inject, it } from 'vitest';
import { ordersModule } from '../../src/recipes/nestjs.js';
import { configFolder } from '../support/config-folder.js';
import { ownSchema } from '../support/own-schema.js';

const strategies = [objectid, segmentInproc];
const config = { generators: { order: { strategy: 'objectid' } } } as const;

/** What an application has: a service that asks for ids, and needs one more at its own shutdown. */
class Orders {
  readonly #ids: IdGenerator;
  readonly lines: KeyedIdGenerator;
  atShutdown: unknown;

  constructor(ids: IdGenerator, lines: KeyedIdGenerator) {
    this.#ids = ids;
    this.lines = lines;
  }

  async place(): Promise<string> {
    return String(await this.#ids.next());
  }

  /** Nest closes the HTTP server after this. */
  async beforeApplicationShutdown(): Promise<void> {
    this.atShutdown = await this.#ids.next();
  }
}
InjectIds('order')(Orders, undefined, 0);
InjectKeyedIds('line')(Orders, undefined, 1);

function start(ids: DynamicModule, providers: Provider[] = []) {
  class AppModule {}
  return NestFactory.createApplicationContext(
    { module: AppModule, imports: [ids], providers },
    { logger: false, abortOnError: false },
  );
}

it('NestJS injects the generators of the config file, and closes them last', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  await ensureKeyedSchema(fromPg(schema.pool));
  await createSequence(fromPg(schema.pool), 'line');
  const order = { strategy: 'segment-inproc' };
  const line = { ...order, order: 'real-time', keyed: true };
  await using folder = await configFolder({ database: schema.url, generators: { order, line } });
  const injected = { generators: ['order'], keyedGenerators: ['line'] };
  const options = { strategies, cwd: folder.cwd, environment: {}, ...injected };
  const app = await start(IdsModule.forRoot(options), [Orders]);
  const orders = app.get(Orders);
  expect([await orders.place(), await orders.place()]).toEqual(['1', '2']);
  expect(await orders.lines.next('order-1')).toBe(1);
  const ids = app.get<IdGenerator>(idsToken('order'));
  expect(ids.health().status).toBe('ok');

  await app.close();
  expect(orders.atShutdown).toBe(3);
  expect(ids.health().status).toBe('closed');
});

it('NestJS leaves ids open that the caller opened', async () => {
  await using ids = await openIds({ strategies: [objectid], config });
  const app = await start(IdsModule.forRoot({ ids }));
  expect(app.get(idsToken())).toBe(ids);
  await app.close();
  expect(ids.get('order').health().status).toBe('ok');
});

it('NestJS asks a factory what to open', async () => {
  class SettingsModule {}
  const settings = {
    module: SettingsModule,
    providers: [{ provide: 'settings', useValue: { strategies, config } }],
    exports: ['settings'],
  };
  const module = IdsModule.forRootAsync({
    imports: [settings],
    inject: ['settings'],
    useFactory: async (found: IdsModuleOptions) => found,
    generators: ['order'],
  });
  const app = await start(module);
  const ids = app.get<IdGenerator>(idsToken('order'));
  expect(ids.strategy).toBe('objectid');
  await app.close();
  expect(ids.health().status).toBe('closed');
});

it.each([
  ['neither strategies nor ids', {}],
  ['an unknown strategy', { strategies, config: { generators: { order: { strategy: 'nope' } } } }],
  ['names that are no list', { strategies, config, generators: 'order' }],
])('NestJS does not start with %s', async (_, options) => {
  const starting = async () => start(IdsModule.forRoot(options as IdsModuleOptions));
  await expect(starting()).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
});

it('NestJS does not start without a generator of a name, and closes the others', async () => {
  let opened: IdGenerator | undefined;
  const create: typeof objectid.create = async (options) => {
    const generator = await objectid.create(options);
    opened = generator;
    return generator;
  };
  const options = { strategies: [{ ...objectid, create }], config, generators: ['bill'] };
  await expect(start(IdsModule.forRoot(options))).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
  expect(opened?.health().status).toBe('closed');
});

it('NestJS answers requests that get no id, and shows nothing of the backends', async () => {
  await using opened = await openIds({ strategies: [objectid], config });
  let failure: IdError | undefined;
  const next = async () => (failure ? Promise.reject(failure) : opened.get('order').next());
  const ids = { ...opened, get: () => ({ next }) as never };
  const app = await NestFactory.create(ordersModule({ ids }), { logger: false });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const answer = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/orders`, { method: 'POST' });
    return [response.status, response.headers.get('retry-after'), await response.text()];
  };
  expect(await answer()).toEqual([201, null, expect.stringContaining('id')]);
  failure = new IdError('ERR_IDS_TIMEOUT', 'redis-7');
  expect(await answer()).toEqual([503, '2', expect.not.stringContaining('redis-7')]);
  failure = new IdError('ERR_IDS_REALM', 'redis-7');
  expect(await answer()).toEqual([500, null, expect.not.stringContaining('redis-7')]);
  await app.close();
});

it('NestJS answers microservices that get no id: a filter that throws would leave them waiting', async () => {
  const failure = new IdError('ERR_IDS_TIMEOUT', 'redis-7');
  const host = new ExecutionContextHost([]);
  host.setType('rpc');
  const answer = new IdErrorFilter().catch(failure, host) ?? EMPTY;
  await expect(lastValueFrom(answer)).rejects.toBe(failure);
});

it('NestJS answers clients of a gateway that get no id: a filter that throws would end the process', () => {
  const client = new EventEmitter();
  const seen: unknown[] = [];
  client.on('exception', (answer) => seen.push(answer));
  const host = new ExecutionContextHost([client]);
  host.setType('ws');
  new IdErrorFilter().catch(new IdError('ERR_IDS_TIMEOUT', 'redis-7'), host);
  expect(seen).toEqual([{ status: 'error', message: expect.not.stringContaining('redis-7') }]);
});
