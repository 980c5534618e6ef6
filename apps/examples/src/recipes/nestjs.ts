import 'reflect-metadata';
import type { IdGenerator } from '@ids/core';
import { IdErrorFilter, IdsModule, type IdsModuleOptions, InjectIds } from '@ids/nestjs';
import { Controller, type DynamicModule, Post } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';

class OrdersController {
  readonly #orderIds: IdGenerator;

  constructor(orderIds: IdGenerator) {
    this.#orderIds = orderIds;
  }

  async create(): Promise<{ readonly id: string }> {
    return { id: String(await this.#orderIds.next()) };
  }
}

// What `@Controller('orders')`, `@Post()` and, before the parameter, `@InjectIds('order')` do, for code whose
// types are just stripped.
Controller('orders')(OrdersController);
const create = Object.getOwnPropertyDescriptor(OrdersController.prototype, 'create') ?? {};
Post()(OrdersController.prototype, 'create', create);
InjectIds('order')(OrdersController, undefined, 0);

class OrdersModule {}

export function ordersModule(options: IdsModuleOptions): DynamicModule {
  return {
    module: OrdersModule,
    imports: [IdsModule.forRoot({ ...options, generators: ['order'] })],
    controllers: [OrdersController],
    providers: [{ provide: APP_FILTER, useClass: IdErrorFilter }],
  };
}
