import { type Client, createClient } from '@libsql/client';
import { onTestFinished } from 'vitest';

/** A client that is closed with the test. */
export function openClient(url: string): Client {
  const client = createClient({ url });
  onTestFinished(() => client.close());
  return client;
}
