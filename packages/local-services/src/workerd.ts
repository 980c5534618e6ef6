import { build } from 'esbuild';
import { Miniflare } from 'miniflare';

/** What an executor over the storage of an object answers, which runs inside that object. */
export interface ExecutorInObject {
  readonly dialect: 'sqlite';
  execute(text: string, values: readonly unknown[], signal?: AbortSignal): Promise<never>;
  home(signal?: AbortSignal): Promise<never>;
  close(): Promise<void>;
}

/** A runtime of Cloudflare, with one Durable Object and a database of D1. */
export interface Workerd {
  /** The binding of an empty database of D1. */
  readonly d1: unknown;
  /** A `SqliteExecutor` of `fromDurableObject`; its errors have the same messages, and no more. */
  readonly object: ExecutorInObject;
  close(): Promise<void>;
}

const WORKER = `
import { DurableObject } from 'cloudflare:workers';
import { fromDurableObject } from '@ids/store/sqlite';
export class Ids extends DurableObject {
  #executor = fromDurableObject(this.ctx.storage);
  call(method, given) { return this.#executor[method](...given); }
}
export default {
  async fetch(request, env) {
    const [method, ...given] = await request.json();
    const object = env.IDS.get(env.IDS.idFromName('ids'));
    try {
      return Response.json({ value: await object.call(method, given) });
    } catch (error) {
      return Response.json({ error: error.message });
    }
  },
};
`;

/** Starts workerd. `resolveDir`: a folder from which `@ids/store` is found. */
export async function startWorkerd(resolveDir: string): Promise<Workerd> {
  const { outputFiles } = await build({
    stdin: { contents: WORKER, resolveDir },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers'],
  });
  const workerd = new Miniflare({
    modules: true,
    script: outputFiles[0]?.text ?? '',
    compatibilityDate: '2025-01-01',
    d1Databases: ['DB'],
    durableObjects: { IDS: { className: 'Ids', useSQLite: true } },
  });
  const call = async (signal: AbortSignal | undefined, ...request: unknown[]): Promise<never> => {
    signal?.throwIfAborted();
    const answer = await workerd.dispatchFetch('http://object/', {
      method: 'POST',
      body: JSON.stringify(request),
    });
    const { value, error } = (await answer.json()) as { readonly value: never; readonly error?: string };
    signal?.throwIfAborted();
    if (error !== undefined) throw new Error(error);
    return value;
  };
  return {
    d1: await workerd.getD1Database('DB'),
    object: {
      dialect: 'sqlite',
      execute: (text, values, signal) => call(signal, 'execute', text, values),
      home: (signal) => call(signal, 'home'),
      close: async () => {},
    },
    close: () => workerd.dispose(),
  };
}
