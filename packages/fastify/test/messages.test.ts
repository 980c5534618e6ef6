import { MessagesPage } from '@ids/local-services/messages-page';
import Fastify from 'fastify';
import { it } from 'vitest';
import { type FastifyIdsOptions, fastifyIds } from '../src/index.js';

/*
 * What users of this package read, in messages.md, except what `openOrTake` of @ids/config says, which is on
 * the page there. `pnpm vitest run --project fastify messages -u` writes it anew.
 */
it('wrong options', async () => {
  const page = new MessagesPage(import.meta.url);
  const start = async (errorHandler: unknown) => {
    await using app = Fastify();
    app.register(fastifyIds, { strategies: [], errorHandler } as unknown as FastifyIdsOptions);
    await app.ready();
  };
  const acts = [null, 'yes'].map((errorHandler) => [{ errorHandler }, () => start(errorHandler)] as const);
  page.section('Wrong options');
  await page.refusals(/^ERR_IDS_CONFIG$/, acts);
  await page.compare();
});
