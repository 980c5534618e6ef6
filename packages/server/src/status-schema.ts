import * as v from 'valibot';
import { code, health, id, realm, time } from './response-schemas.js';

// What `/v1/status` answers.

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const trouble = v.object({
  code,
  since: v.pipe(time, v.description('Of the first failure since it last worked.')),
  at: v.pipe(time, v.description('Of the last failure.')),
  calls: v.pipe(count, v.description('Calls that failed; 0 if only the backend did.')),
  until: v.optional(v.pipe(time, v.description('When it worked again. Absent while it does not.'))),
});

const client = v.object({
  name: v.pipe(v.nullable(v.string()), v.description('Null on a server without clients.')),
  issued: count,
  leased: count,
  at: v.pipe(time, v.description('When it got ids last.')),
  range: v.optional(v.pipe(v.object({ low: id, high: id }), v.description('What it leased last.'))),
});

const steps = v.array(count);

export const STATUS = v.object({
  upSeconds: v.number(),
  generators: v.array(
    v.object({
      name: v.string(),
      strategy: v.string(),
      keyed: v.boolean(),
      realm,
      health,
      issued: v.pipe(count, v.description('Ids that the server issued since its start.')),
      leased: v.pipe(count, v.description('Ids of ranges that it leased since its start.')),
      refills: v.optional(count),
      refillFailures: v.optional(count),
      recent: v.object({
        idsPerSecond: v.pipe(v.number(), v.description('Over the last minute.')),
        stepSeconds: v.number(),
        ids: v.pipe(steps, v.description('In each step, the earliest first.')),
        refills: steps,
      }),
      failures: v.pipe(v.array(v.object({ code, calls: count })), v.description('Since the start.')),
      trouble: v.optional(trouble),
      clients: v.array(client),
    }),
  ),
});

/** `GET /v1/status` */
export type Status = v.InferOutput<typeof STATUS>;
