import { httpRefusalOf, type IdsOrOptions, openOrTake, type ServiceIds } from '@ids/config/plugin';
import { IdError, isIdError } from '@ids/core';
import { formatValue } from '@ids/core/strategy';
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyInstance {
    /** The open generators of the service: `app.ids.get('order')`. */
    readonly ids: ServiceIds;
  }
}

/**
 * What to open, as for `openIds` of `@ids/config`, with `app.log` as the default `logger`; or `ids`, which
 * the caller opened, and closes after the application.
 */
export type FastifyIdsOptions = IdsOrOptions & {
  /**
   * Whether to answer requests that got no id, by `idErrorHandler`; true by default. The handler belongs to
   * the scope that registers the plugin: with a handler of your own there, set it to false, and call
   * `idErrorHandler` in yours.
   */
  readonly errorHandler?: boolean;
};

/**
 * An error handler for `setErrorHandler`. Answers an `IdError` with 503 and `Retry-After` if the same call
 * may succeed later, otherwise with 500. The log gets the error; the answer names no backend. Passes all
 * other errors to the next handler.
 */
export function idErrorHandler(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (!isIdError(error)) return reply.send(error);
  request.log.error(error);
  const { status, message, retryAfter } = httpRefusalOf(error);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return reply.code(status).send({ error: message });
}

const plugin: FastifyPluginAsync<FastifyIdsOptions> = async (app, options) => {
  const { errorHandler = true } = options;
  if (typeof errorHandler !== 'boolean') {
    const message = `@ids/fastify: errorHandler: must be true or false, got ${formatValue(errorHandler)}`;
    throw new IdError('ERR_IDS_CONFIG', message);
  }
  let ids: ServiceIds | undefined;
  // Before anything is open: both throw if the application has one already.
  app.decorate('ids', { getter: () => ids as ServiceIds });
  if (errorHandler) app.setErrorHandler(idErrorHandler);
  const opening = openOrTake('@ids/fastify', options.ids ? options : { logger: app.log, ...options });
  // Here, since Fastify may stop waiting for the opening. It runs once all requests have their answers.
  app.addHook('onClose', async () => {
    const held = await opening.catch(() => undefined);
    await held?.release();
  });
  ({ ids } = await opening);
};

/**
 * Adds `app.ids`: `await app.register(fastifyIds, { strategies: [objectid] })`. Fails like `openIds`, and
 * with `ERR_IDS_CONFIG` if the options cannot work. What it opened, `app.close()` closes.
 */
export const fastifyIds = fastifyPlugin(plugin, { fastify: '5.x', name: '@ids/fastify' });
