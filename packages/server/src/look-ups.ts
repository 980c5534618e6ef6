import { abortable } from '@ids/core/strategy';
import type { HighestResponse, ProvenanceResponse } from '@ids/http/wire';
import { badRequest, Problem } from './problems.js';
import { type Asked, isKeyed } from './served.js';

/** Reads the greatest id of a key that may have been issued. */
export async function readHighest({ name, served, query, signal }: Asked): Promise<HighestResponse> {
  const { key } = query;
  if (!isKeyed(served)) throw badRequest(`generator ${JSON.stringify(name)} has no keys`);
  if (key === undefined) throw badRequest('the query must have a "key"');
  const highest = await served.generator.highest(key, { signal });
  return { realm: served.realm ?? null, highest: highest === undefined ? null : String(highest) };
}

/** Reads who reserved an id. */
export async function readProvenance({ name, served, query, signal }: Asked): Promise<ProvenanceResponse> {
  const { id, key } = query;
  const { generator, realm = null, whoIssued } = served;
  const which = `generator ${JSON.stringify(name)}`;
  if (whoIssued === undefined) throw new Problem(409, 'ERR_IDS_UNMET', `${which} keeps no grant log`);
  if (id === undefined || !generator.guarantees.text.pattern.test(id))
    throw badRequest(`the query must have the "id" of an id of ${which}`);
  if (isKeyed(served) !== (key !== undefined))
    throw badRequest(`${which} has ${key === undefined ? 'keys: give' : 'no keys: leave out'} "key"`);
  return { realm, parts: await abortable(whoIssued(id, key), signal) };
}
