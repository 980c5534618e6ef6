import type { IdGenerator } from '@ids/core';
import { idsToken } from '@ids/nestjs';
import { Controller, type DynamicModule, Get, Inject } from '@nestjs/common';
import {
  HealthCheckService,
  type HealthIndicatorResult,
  HealthIndicatorService,
  TerminusModule,
} from '@nestjs/terminus';
import { isServing, publicHealth } from './health.js';

/** Whether requests get their ids, for `HealthCheckService.check` of @nestjs/terminus. */
export class IdsHealthIndicator {
  readonly #indicators: HealthIndicatorService;

  constructor(indicators: HealthIndicatorService) {
    this.#indicators = indicators;
  }

  async check(name: string, generator: IdGenerator): Promise<HealthIndicatorResult> {
    const indicator = this.#indicators.check(name);
    const serving = await isServing(generator);
    // Terminus has a `status` of its own.
    const { status: state, ...facts } = publicHealth(generator);
    return serving ? indicator.up({ state, ...facts }) : indicator.down({ state, ...facts });
  }
}

class HealthController {
  readonly #health: HealthCheckService;
  readonly #ids: IdsHealthIndicator;
  readonly #orderIds: IdGenerator;

  constructor(health: HealthCheckService, ids: IdsHealthIndicator, orderIds: IdGenerator) {
    this.#health = health;
    this.#ids = ids;
    this.#orderIds = orderIds;
  }

  /** No backend can make it fail: a restart of this process would mend none. */
  livez() {
    return { status: 'ok' };
  }

  /** Terminus answers 503 if an indicator is down. */
  readyz() {
    return this.#health.check([() => this.#ids.check('order', this.#orderIds)]);
  }
}

// What `@Controller()`, `@Get('livez')` and `@Inject(...)` do, for code whose types are just stripped.
Controller()(HealthController);
for (const path of ['livez', 'readyz'] as const) {
  const method = Object.getOwnPropertyDescriptor(HealthController.prototype, path) ?? {};
  Get(path)(HealthController.prototype, path, method);
}
for (const [index, token] of [HealthCheckService, IdsHealthIndicator, idsToken('order')].entries()) {
  Inject(token)(HealthController, undefined, index);
}

class IdsHealthModule {}

/** `GET /livez` and `GET /readyz`, beside `IdsModule.forRoot({ ... })`, which offers `order`. */
export function idsHealthModule(): DynamicModule {
  return {
    module: IdsHealthModule,
    imports: [TerminusModule.forRoot()],
    controllers: [HealthController],
    providers: [
      {
        provide: IdsHealthIndicator,
        useFactory: (indicators: HealthIndicatorService) => new IdsHealthIndicator(indicators),
        inject: [HealthIndicatorService],
      },
    ],
    exports: [IdsHealthIndicator],
  };
}
