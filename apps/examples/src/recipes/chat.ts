import type { KeyedIdGenerator } from '@ids/core';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';

/** For a migration. The sender chooses `client_id`, and sends it again when it sends the message again. */
export const CHAT_SCHEMA = `
CREATE TABLE chat_group (id text PRIMARY KEY);
CREATE TABLE message (
  group_id text NOT NULL REFERENCES chat_group,
  number bigint NOT NULL,
  client_id uuid NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (group_id, number),
  UNIQUE (group_id, client_id)
)`;

/** Without a number, the message is new; no row: there is no such group. */
const FIND = `
SELECT m.number FROM chat_group g LEFT JOIN message m ON m.group_id = g.id AND m.client_id = $2 WHERE g.id = $1`;

/** If the message was stored in the meantime, returns its number; the new one is a gap. */
const STORE = `
INSERT INTO message (group_id, client_id, number, body) VALUES ($1, $2, $3, $4)
ON CONFLICT (group_id, client_id) DO UPDATE SET client_id = EXCLUDED.client_id
RETURNING number`;

interface Message {
  readonly clientId: string;
  readonly body: string;
}

/** Stores a message once, however often it is sent. Resolves with its number; undefined without the group. */
export async function send(
  pool: pg.Pool,
  numbers: KeyedIdGenerator<number>,
  group: string,
  { clientId, body }: Message,
): Promise<number | undefined> {
  const [found] = (await pool.query(FIND, [group, clientId])).rows;
  // Before a number is asked for: otherwise anybody could begin a key for a group that does not exist.
  if (found === undefined) return undefined;
  if (found.number !== null) return Number(found.number);
  const number = await numbers.next(group);
  const [stored] = (await pool.query(STORE, [group, clientId, number, body])).rows;
  return Number(stored.number);
}

interface InGroup {
  readonly Params: { readonly group: string };
}

export function addChatRoutes(app: FastifyInstance, pool: pg.Pool, numbers: KeyedIdGenerator<number>): void {
  app.post<InGroup & { Body: Message }>('/groups/:group/messages', async ({ params, body }, reply) => {
    const number = await send(pool, numbers, params.group, body);
    if (number === undefined) return reply.code(404).send({ error: 'no such group' });
    return reply.code(201).send({ number });
  });
  app.get<InGroup & { Querystring: { read?: string } }>(
    '/groups/:group/unread',
    async ({ params, query }) => {
      const last = (await numbers.highest(params.group)) ?? 0;
      return { unread: Math.max(0, last - Number(query.read ?? 0)) };
    },
  );
}
