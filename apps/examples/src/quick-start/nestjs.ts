import 'reflect-metadata';
import type { IdGenerator } from '@ids/core';
import { IdErrorFilter, IdsModule, InjectIds } from '@ids/nestjs';
import { segmentInproc } from '@ids/segment-inproc';
import { Controller, Module, Post } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';

@Controller('orders')
class OrdersController {
  @InjectIds('order') private readonly orderIds!: IdGenerator;
  @Post()
  async create() {
    return { id: String(await this.orderIds.next()) };
  }
}

@Module({
  imports: [IdsModule.forRoot({ strategies: [segmentInproc], generators: ['order'] })],
  controllers: [OrdersController],
  providers: [{ provide: APP_FILTER, useClass: IdErrorFilter }],
})
class AppModule {}

const port = process.env.PORT ?? 3000;
NestFactory.create(AppModule).then((app) => app.enableShutdownHooks().listen(port, 'localhost'));
