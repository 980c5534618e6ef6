import { readFile } from 'node:fs/promises';
import { IdError } from '@ids/core';
import * as v from 'valibot';
import { type Client, RIGHTS } from '../access.js';
import { issueText } from '../schemas.js';

const CLIENTS = v.strictObject({
  clients: v.pipe(
    v.array(
      v.strictObject({
        name: v.pipe(v.string(), v.minLength(1)),
        // The message must not show the value: it may be a token by mistake.
        tokens: v.pipe(
          v.array(
            v.pipe(
              v.string('must be a string'),
              v.regex(/^[0-9a-f]{64}$/, 'must be the SHA-256 hash of a token, in 64 hexadecimal digits'),
            ),
          ),
          v.minLength(1),
        ),
        rights: v.pipe(v.array(v.picklist(RIGHTS)), v.minLength(1)),
        generators: v.optional(v.array(v.string())),
        idsPerMinute: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
      }),
    ),
    v.minLength(1),
  ),
});

/**
 * Reads who may use the server. Rejects with `ERR_IDS_CONFIG` for a file that cannot be read or has another
 * form, or that names a generator which is not among `generators`.
 */
export async function readClients(file: string, generators: readonly string[]): Promise<readonly Client[]> {
  const { clients } = await parseFile(file);
  const names = clients.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw wrong(file, `the client "${twice}" is there twice`);
  for (const client of clients) {
    const unknown = client.generators?.find((name) => !generators.includes(name));
    if (unknown === undefined) continue;
    const why = `there is no generator "${unknown}", known: ${generators.join(', ')}`;
    throw wrong(file, `client "${client.name}": ${why}`);
  }
  return clients;
}

async function parseFile(file: string): Promise<v.InferOutput<typeof CLIENTS>> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw wrong(file, `it cannot be read (${Object(cause).code})`);
  });
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The parser's message would quote the file.
    throw wrong(file, 'it is not valid JSON');
  }
  const { success, output, issues } = v.safeParse(CLIENTS, content);
  if (success) return output;
  throw wrong(file, issueText(issues));
}

function wrong(file: string, why: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `--clients ${file}: ${why}`);
}
