import { type FaultProxy, startFaultProxy } from '@ids/local-services';
import { ownSchema } from './own-schema.js';

/** A schema of one's own with the sequence `order`, reached at `url` through a proxy. */
export interface ProxiedSchema extends AsyncDisposable {
  readonly url: string;
  readonly proxy: FaultProxy;
}

export async function proxiedSchema(databaseUrl: string): Promise<ProxiedSchema> {
  const schema = await ownSchema(databaseUrl);
  const { hostname, port } = new URL(schema.url);
  const proxy = await startFaultProxy({ target: { host: hostname, port: Number(port) } });
  return {
    url: proxy.url(schema.url),
    proxy,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await schema[Symbol.asyncDispose]();
    },
  };
}
