import { isIdError } from '@ids/core';
import { openServiceIds } from '../open-service-ids.js';

/** Seconds after which it is worth trying again: backends that fail over take about as long. */
const RETRY_AFTER_S = 2;

// Next.js runs this module once for each bundle, and again after each change in development.
const shared = globalThis as { openedIds?: ReturnType<typeof openServiceIds> | undefined };

/** The generators of this process, opened by the first request; if that failed, by the next one. */
function serviceIds(): ReturnType<typeof openServiceIds> {
  shared.openedIds ??= openServiceIds({}).catch((error) => {
    shared.openedIds = undefined;
    throw error;
  });
  return shared.openedIds;
}

/** `app/orders/route.ts` */
export async function POST(): Promise<Response> {
  try {
    const orderIds = (await serviceIds()).get('order');
    return Response.json({ id: String(await orderIds.next()) }, { status: 201 });
  } catch (error) {
    // The log gets the cause; strangers learn only whether trying again can help.
    console.error(error);
    if (!isIdError(error) || !error.retryable)
      return Response.json({ error: 'no id can be issued' }, { status: 500 });
    const headers = { 'retry-after': String(RETRY_AFTER_S) };
    return Response.json({ error: 'no id can be issued now' }, { status: 503, headers });
  }
}
