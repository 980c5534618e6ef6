import { IdError } from '@ids/core';

export function refused(why: string, cause?: unknown): IdError {
  return new IdError('ERR_IDS_CONFIG', `objectid: layout "machine-pid" ${why}`, { cause });
}
