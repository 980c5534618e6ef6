/** An error as Redis sends it: its first word is its code. */
export class RedisError extends Error {
  override name = 'ReplyError';
}

/** A status such as `OK`, which Lua sees as a table and a client as a string. */
export class Status {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A reply as the server makes it. An integer is a number, a bulk string a string, a missing value null. */
export type Reply = null | number | string | Status | RedisError | Reply[];

/** As a client hands it to its caller; rejections are made of errors at the top. */
export function toClient(reply: Reply): unknown {
  if (reply instanceof Status) return reply.text;
  return Array.isArray(reply) ? reply.map(toClient) : reply;
}
