import type { Row } from '@ids/store';
import { hasCode } from '../failure-codes.js';
import type { Holder } from '../holder.js';
import type { TransactionPort } from '../transaction/port.js';
import { writersStatement } from './statements.js';

/** Who may hold a key: undefined if the account may not see the transactions of others. */
export async function findWriters(tx: TransactionPort): Promise<readonly Holder[] | undefined> {
  for (const program of [true, false]) {
    try {
      return (await tx.run(writersStatement(program))).map(readHolder);
    } catch (error) {
      if (!hasCode(error, '1142', '1044', '1227', '1146', '1049')) throw error;
    }
  }
  return undefined;
}

function readHolder({ pid, application, account, address, state, since }: Row): Holder {
  const who = [application, account, address].filter((part) => typeof part === 'string' && part !== '');
  return {
    pid: Number(pid),
    application: who.join(' ') || 'unknown application',
    // A connection whose transaction is open and that runs nothing.
    state: state === 'Sleep' ? 'idle in transaction' : typeof state === 'string' ? state : undefined,
    since: since === null || since === undefined ? undefined : new Date(1_000 * Number(since)).toISOString(),
  };
}
