import { readdirSync, readFileSync } from 'node:fs';
import * as v from 'valibot';

// The form of the files in the folder `cases` of this package, whose README describes it.

const FOLDER = new URL('../../cases/', import.meta.url);

const json = v.record(v.string(), v.unknown());

const answer = v.union([
  v.strictObject({
    status: v.number(),
    headers: v.optional(v.record(v.string(), v.string()), {}),
    body: v.optional(json),
    /** In place of `body`, as it stands. */
    text: v.optional(v.string()),
    /** How long the answer is held, in milliseconds. */
    delayMs: v.optional(v.number(), 0),
  }),
  /** The connection ends before the answer, in the middle of it, or the answer never comes. */
  v.strictObject({ fault: v.picklist(['no-answer', 'half-an-answer', 'silence']) }),
]);

const clientCase = v.strictObject({
  title: v.string(),
  because: v.string(),
  /** How long a call of the client may take, in milliseconds. */
  deadlineMs: v.optional(v.number(), 60_000),
  token: v.optional(v.string()),
  calls: v.array(
    v.strictObject({
      call: json,
      /** What the server says to each request of the call; the last one again to all further requests. */
      exchanges: v.array(v.strictObject({ request: v.optional(json, {}), answer })),
      /** The client must reply with one of these. */
      replies: v.pipe(v.array(json), v.minLength(1)),
    }),
  ),
});

const serverCase = v.strictObject({
  title: v.string(),
  because: v.string(),
  steps: v.array(
    v.strictObject({
      request: v.strictObject({
        method: v.optional(v.picklist(['GET', 'POST']), 'POST'),
        path: v.string(),
        /** `null` sends none. */
        token: v.optional(v.nullable(v.string()), 'token-of-shop'),
        headers: v.optional(v.record(v.string(), v.string()), {}),
        body: v.optional(json),
        /** In place of `body`, as it stands. */
        text: v.optional(v.string()),
        /** So many blanks come after it. */
        blanks: v.optional(v.number(), 0),
      }),
      response: v.strictObject({
        status: v.number(),
        headers: v.optional(v.record(v.string(), v.string()), {}),
        body: v.optional(json, {}),
      }),
    }),
  ),
});

export type ClientCase = v.InferOutput<typeof clientCase>;
export type ServerCase = v.InferOutput<typeof serverCase>;
export type ScriptedAnswer = v.InferOutput<typeof answer>;
export type Json = Readonly<Record<string, unknown>>;

/** What a client of ids must do, by what a server answers. */
export function clientCases(): readonly ClientCase[] {
  return read('client', clientCase);
}

/** What a server of ids must answer. */
export function serverCases(): readonly ServerCase[] {
  return read('server', serverCase);
}

function read<S extends v.GenericSchema>(kind: string, schema: S): readonly v.InferOutput<S>[] {
  const folder = new URL(`${kind}/`, FOLDER);
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort();
  return files.flatMap((file) => {
    const { success, output, issues } = v.safeParse(
      v.array(schema),
      JSON.parse(readFileSync(new URL(file, folder), 'utf8')),
    );
    if (success) return output;
    const [issue] = issues;
    throw new TypeError(`cases/${kind}/${file}: ${v.getDotPath(issue)}: ${issue.message}`);
  });
}
