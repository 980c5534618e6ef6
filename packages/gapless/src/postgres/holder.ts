import type { Row } from '@ids/store';
import type { Holder } from '../holder.js';
import type { NumberRequest } from '../table/request.js';
import type { TransactionPort } from '../transaction/port.js';
import { holderStatement, makerStatement } from './statements.js';

/** Who holds a key, and whether it is sure that it is one of them. */
export async function findHolders(
  tx: TransactionPort,
  request: NumberRequest,
): Promise<{ readonly holders: readonly Holder[]; readonly surely: boolean }> {
  const sure = await tx.run(holderStatement(request));
  if (sure.length > 0) return { holders: sure.map(readHolder), surely: true };
  return { holders: (await tx.run(makerStatement(request))).map(readHolder), surely: false };
}

function readHolder({ pid, application, account, address, state, since }: Row): Holder {
  const who = [application, account, address].filter((part) => typeof part === 'string' && part !== '');
  return {
    pid: Number(pid),
    application: who.join(' ') || 'unknown application',
    state: typeof state === 'string' ? state : undefined,
    since: typeof since === 'string' ? since : undefined,
  };
}
