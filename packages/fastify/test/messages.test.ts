import Fastify, { type FastifyError } from 'fastify';
import { expect, it } from 'vitest';
import { type FastifyIdsOptions, fastifyIds } from '../src/index.js';

/*
 * What users of this package read, in messages.md, except what `openOrTake` of @ids/config says, which is on
 * the page there. `pnpm vitest run --project fastify messages -u` writes it anew.
 */
it('wrong options', async () => {
  const page = ['# What @ids/fastify says'];
  for (const errorHandler of [null, 'yes']) {
    const app = Fastify();
    app.register(fastifyIds, { strategies: [], errorHandler } as unknown as FastifyIdsOptions);
    const { code, message } = await app.ready().then(
      () => expect.fail('it started'),
      (error: FastifyError) => error,
    );
    page.push(`\`${JSON.stringify({ errorHandler })}\``, `> ${message} (${code})`);
    await app.close();
  }
  await expect(`${page.join('\n\n')}\n`).toMatchFileSnapshot('messages.md');
});
