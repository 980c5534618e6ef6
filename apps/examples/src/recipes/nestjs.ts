import 'reflect-metadata';
import type { LoadConfigOptions, OpenedIds } from '@ids/config';
import type { IdGenerator } from '@ids/core';
import type { DynamicModule, OnApplicationShutdown } from '@nestjs/common';
import { openServiceIds } from '../open-service-ids.js';

/** Injects the generator of order ids, an `IdGenerator`: `@Inject(ORDER_IDS) private readonly orderIds`. */
export const ORDER_IDS = Symbol('ORDER_IDS');

type ServiceIds = OpenedIds<Record<string, IdGenerator>>;

/** Nest calls its hook after the HTTP server has closed, so that requests under way still get their ids. */
class IdsHost implements OnApplicationShutdown {
  readonly ids: ServiceIds;

  constructor(ids: ServiceIds) {
    this.ids = ids;
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
      { provide: IdsHost, useFactory: async () => new IdsHost(await openServiceIds(options)) },
      { provide: ORDER_IDS, useFactory: ({ ids }: IdsHost) => ids.get('order'), inject: [IdsHost] },
    ],
    exports: [ORDER_IDS],
  };
}
