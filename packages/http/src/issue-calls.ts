import type { Connection, RequestLimits } from './connection.js';
import type { KnownRealm } from './known-realm.js';
import { RefusedError, refusalFor } from './problem.js';
import type { IssueRequest, IssueResponse, WireCall, WireProblem } from './wire.js';

/** What became of a call: the texts of its ids, as many as it asked for, or why it got none. */
export type CallAnswer = { readonly ids: readonly string[] } | { readonly refused: RefusedError };

/**
 * Makes calls in one request, and resolves with an answer for each. Rejects if the request failed as a whole,
 * and with `ERR_IDS_REALM` or `ERR_IDS_UNAVAILABLE` if its answer must not be used.
 *
 * A request whose answer is lost, late, or not that of this request may have taken ids. They are never used:
 * the next request gets others. So does a request that something on the way sends twice.
 */
export async function issueCalls(
  { connection, realm }: { readonly connection: Connection; readonly realm: KnownRealm },
  request: IssueRequest & { readonly calls: readonly (WireCall & { readonly count: number })[] },
  limits: RequestLimits,
): Promise<readonly CallAnswer[]> {
  const answer = await connection.post('/ids', request, limits).catch(refusedResults);
  const { results } = answer as Partial<IssueResponse>;
  return request.calls.map(({ count }, index): CallAnswer => {
    const result = Array.isArray(results) ? (results as IssueResponse['results'])[index] : undefined;
    if (result !== undefined && 'problem' in result)
      return { refused: refusalFor(connection.server, result.problem) };
    const ids: unknown = result?.ids;
    const fits = Array.isArray(ids) && ids.length === count && ids.every((id) => typeof id === 'string');
    if (!fits) throw connection.unusable(`does not have the ${count} ids that were asked for`);
    realm.accept(result?.realm);
    return { ids };
  });
}

/** If all calls failed, the request did, with the status of the first one. Such an answer has no ids. */
function refusedResults(error: unknown): Pick<IssueResponse, 'results'> {
  const results: unknown = error instanceof RefusedError ? error.problem?.results : undefined;
  if (!Array.isArray(results)) throw error;
  return { results: results.map(({ problem }: { readonly problem: WireProblem }) => ({ problem })) };
}
