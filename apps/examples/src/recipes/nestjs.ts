import 'reflect-metadata';
import type { Server } from 'node:http';
import type { LoadConfigOptions, OpenedIds } from '@ids/config';
import type { IdGenerator } from '@ids/core';
import type { BeforeApplicationShutdown, DynamicModule, OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { openServiceIds } from '../open-service-ids.js';
import { endKeepAlive } from './keep-alive.js';

/** Injects the generator of order ids, an `IdGenerator`: `@Inject(ORDER_IDS) private readonly orderIds`. */
export const ORDER_IDS = Symbol('ORDER_IDS');

type ServiceIds = OpenedIds<Record<string, IdGenerator>>;

/** Its hooks surround the end of the HTTP server, so that requests under way still get their ids. */
class IdsHost implements BeforeApplicationShutdown, OnApplicationShutdown {
  readonly ids: ServiceIds;
  readonly #http: HttpAdapterHost;

  constructor(ids: ServiceIds, http: HttpAdapterHost) {
    this.ids = ids;
    this.#http = http;
  }

  /** Nest would wait for clients that keep their connections busy. Without HTTP, there is no adapter. */
  beforeApplicationShutdown(): void {
    const server: Server | undefined = this.#http.httpAdapter?.getHttpServer();
    if (server) endKeepAlive(server);
  }

  onApplicationShutdown(): Promise<void> {
    return this.ids.close();
  }
}

class IdsModule {}

/**
 * Ids for a Nest application: `imports: [idsModule()]`. Factories in place of `@Injectable` classes, so that
 * it runs wherever types are just stripped.
 */
export function idsModule(options: LoadConfigOptions = {}): DynamicModule {
  return {
    module: IdsModule,
    global: true,
    providers: [
      {
        provide: IdsHost,
        useFactory: async (http: HttpAdapterHost) => new IdsHost(await openServiceIds(options), http),
        inject: [HttpAdapterHost],
      },
      { provide: ORDER_IDS, useFactory: ({ ids }: IdsHost) => ids.get('order'), inject: [IdsHost] },
    ],
    exports: [ORDER_IDS],
  };
}
