import 'reflect-metadata';
import type { IdGenerator } from '@ids/core';
import type {} from '@ids/local-services/vitest-setup';
import { NestFactory } from '@nestjs/core';
import { expect, inject, it } from 'vitest';
import { idsModule, ORDER_IDS } from '../../src/recipes/nestjs.js';
import { configFolder } from '../support/config-folder.js';
import { ownSchema } from '../support/own-schema.js';

/** What an application has: a service that asks for ids, and needs one more at its own shutdown. */
class Orders {
  readonly #ids: IdGenerator;
  atShutdown: unknown;

  constructor(ids: IdGenerator) {
    this.#ids = ids;
  }

  async place(): Promise<string> {
    return String(await this.#ids.next());
  }

  /** Nest closes the HTTP server after this. */
  async beforeApplicationShutdown(): Promise<void> {
    this.atShutdown = await this.#ids.next();
  }
}

it('NestJS injects the generator of the config, and closes it last', async () => {
  await using schema = await ownSchema(inject('databaseUrl'));
  const database = schema.url;
  const order = { strategy: 'segment-inproc' };
  await using folder = await configFolder({ database, generators: { order } });
  class AppModule {}
  const app = await NestFactory.createApplicationContext(
    {
      module: AppModule,
      imports: [idsModule({ cwd: folder.cwd, environment: {} })],
      providers: [
        { provide: Orders, useFactory: (ids: IdGenerator) => new Orders(ids), inject: [ORDER_IDS] },
      ],
    },
    { logger: false },
  );
  const ids = app.get<IdGenerator>(ORDER_IDS);
  const orders = app.get(Orders);
  expect([await orders.place(), await orders.place()]).toEqual(['1', '2']);
  expect(ids.health().status).toBe('ok');

  await app.close();
  expect(orders.atShutdown).toBe(3);
  expect(ids.health().status).toBe('closed');
});

it('NestJS does not start with a config that cannot work', async () => {
  await using folder = await configFolder({ generators: { order: { strategy: 'nope' } } });
  class AppModule {}
  const start = NestFactory.createApplicationContext(
    { module: AppModule, imports: [idsModule({ cwd: folder.cwd, environment: {} })] },
    { logger: false, abortOnError: false },
  );
  await expect(start).rejects.toMatchObject({ code: 'ERR_IDS_CONFIG' });
});
