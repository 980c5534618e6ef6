// A Worker as a user writes one, in the three ways in which it can hold a generator, for a sequence or for
// keys.
import { DurableObject } from 'cloudflare:workers';
import { ensureKeyedSchema, SqliteKeyedSource } from '@ids/keyed/sqlite';
import {
  createSequence,
  ensureSchema,
  fromD1,
  fromDurableObject,
  SqliteSegmentSource,
} from '@ids/segment/sqlite';
import { createKeyedSegmentInprocGenerator, createSegmentInprocGenerator } from '@ids/segment-inproc/edge';

async function open(executor, options) {
  await ensureSchema(executor);
  await createSequence(executor, 'order');
  return createSegmentInprocGenerator({
    name: 'order',
    source: new SqliteSegmentSource(executor),
    ...options,
  });
}

async function openKeyed(executor) {
  await ensureKeyedSchema(executor);
  await createSequence(executor, 'message');
  return createKeyedSegmentInprocGenerator({ name: 'message', source: new SqliteKeyedSource(executor) });
}

/** Keeps a generator for all its requests, over a database of D1 or its own storage. */
export class Ids extends DurableObject {
  #ids;
  #keyed;

  async next(count, store, key) {
    const executor = store === 'd1' ? fromD1(this.env.DB) : fromDurableObject(this.ctx.storage);
    if (key !== null) {
      this.#keyed ??= openKeyed(executor);
      return (await this.#keyed).nextBatch(key, count);
    }
    this.#ids ??= open(executor, { minStep: 20 });
    return (await this.#ids).nextBatch(count);
  }
}

/** In a Worker, a generator belongs to one request, so it reserves what that needs. */
async function ofRequest(env, count, key) {
  const executor = fromD1(env.DB);
  const ids = await (key === null ? open(executor, { order: 'real-time' }) : openKeyed(executor));
  try {
    return await (key === null ? ids.nextBatch(count) : ids.nextBatch(key, count));
  } finally {
    await ids.close();
  }
}

let shared;

export default {
  async fetch(request, env) {
    const query = new URL(request.url).searchParams;
    const count = Number(query.get('count'));
    const [object, store, key] = ['object', 'store', 'key'].map((name) => query.get(name));
    try {
      if (object !== null) {
        return Response.json(await env.IDS.get(env.IDS.idFromName(object)).next(count, store, key));
      }
      if (store !== 'shared') return Response.json(await ofRequest(env, count, key));
      shared ??= open(fromD1(env.DB), { minStep: 20 });
      return Response.json(await (await shared).nextBatch(count));
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};
