import type { SqlDialect } from '@ids/local-services/dialects';
import { injectFault } from '@ids/local-services/fault-test';
import { onTestFinished } from 'vitest';
import { BURST, type Process, start, startAfterFault } from './process.js';
import { createContext, type SlotsOptions } from './subject.js';

/**
 * A process on a primary, and another one on the replica that is promoted after it has missed all that the
 * first one was granted. `logIn` prepares the primary, and resolves with how the URLs of both processes
 * differ.
 */
export async function failOver(
  { startReplication }: SqlDialect,
  options: SlotsOptions = {},
  logIn: (primary: string) => Promise<(url: string) => string> = async () => (url) => url,
): Promise<{ former: Process; latter: Process }> {
  const replication = await startReplication();
  onTestFinished(() => replication.close());
  const { primary, replica } = replication;
  const slots = await createContext(primary.url, 'id_slot', { layout: '41+6+6', slots: 2, ...options });
  const urlOf = await logIn(primary.url);
  await replication.caughtUp();
  await injectFault(() => replication.cutOff());
  const former = await start({ ...slots, database: urlOf(primary.url), startup: 'at-once' });
  await former.take(BURST);
  await injectFault(async () => {
    await primary.stop('immediate');
    await replication.promote();
  });
  const latter = await startAfterFault({ ...slots, database: urlOf(replica.url), startup: 'at-once' });
  await latter.take(BURST);
  return { former, latter };
}
