import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';

/** What an executor answers that runs inside workerd; its errors have the same messages, and no more. */
export interface ExecutorInWorkerd {
  readonly dialect: 'sqlite';
  execute(text: string, values: readonly unknown[], signal?: AbortSignal): Promise<never>;
  home(signal?: AbortSignal): Promise<never>;
  close(): Promise<void>;
}

/** A runtime of Cloudflare, with one Durable Object and a database of D1. */
export interface Workerd {
  /** A `SqliteExecutor` of `fromD1`, over an empty database. */
  readonly d1: ExecutorInWorkerd;
  /** A `SqliteExecutor` of `fromDurableObject`. */
  readonly object: ExecutorInWorkerd;
  /**
   * The binding of the same database, outside of workerd, through a proxy of Miniflare. For calls in quick
   * succession: it keeps connections that workerd closes after five seconds, and then fails on them.
   */
  readonly binding: unknown;
  close(): Promise<void>;
}

const WORKER = `
import { DurableObject } from 'cloudflare:workers';
import { fromD1, fromDurableObject } from '@ids/store/sqlite';
export class Ids extends DurableObject {
  #executor = fromDurableObject(this.ctx.storage);
  call(method, given) { return this.#executor[method](...given); }
}
export default {
  async fetch(request, env) {
    const [store, method, ...given] = await request.json();
    const object = env.IDS.get(env.IDS.idFromName('ids'));
    try {
      const value = store === 'd1' ? fromD1(env.DB)[method](...given) : object.call(method, given);
      return Response.json({ value: await value });
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
  const url = await workerd.ready;
  const executor = (store: 'd1' | 'object'): ExecutorInWorkerd => {
    const call = async (signal: AbortSignal | undefined, ...given: unknown[]): Promise<never> => {
      signal?.throwIfAborted();
      const { value, error } = await post(url, [store, ...given]);
      signal?.throwIfAborted();
      if (error !== undefined) throw new Error(error);
      return value;
    };
    return {
      dialect: 'sqlite',
      execute: (text, values, signal) => call(signal, 'execute', text, values),
      home: (signal) => call(signal, 'home'),
      close: async () => {},
    };
  };
  return {
    d1: executor('d1'),
    object: executor('object'),
    binding: await workerd.getD1Database('DB'),
    close: () => workerd.dispose(),
  };
}

interface Answer {
  readonly value: never;
  readonly error?: string;
}

/** Over a connection of its own: workerd closes one that is idle, perhaps just when it is used again. */
async function post(url: URL, body: readonly unknown[]): Promise<Answer> {
  const sent = request(url, { method: 'POST', agent: false }).end(JSON.stringify(body));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return JSON.parse(await text(answer)) as Answer;
}
