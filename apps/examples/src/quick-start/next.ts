import { openIds } from '@ids/config';
import { isIdError } from '@ids/core';
import { segmentInproc } from '@ids/segment-inproc';

// Next.js evaluates this module more than once; the generators are opened once, by the first request.
const shared = globalThis as { orderIds?: ReturnType<typeof open> | undefined };

async function open() {
  const ids = await openIds({ strategies: [segmentInproc] });
  const stop = () => ids.close();
  process.once('SIGTERM', stop).once('SIGINT', stop);
  return ids.get('order');
}

export async function POST(): Promise<Response> {
  try {
    shared.orderIds ??= open();
    shared.orderIds.catch(() => delete shared.orderIds);
    return Response.json({ id: String(await (await shared.orderIds).next()) }, { status: 201 });
  } catch (error) {
    console.error(error);
    const retryable = isIdError(error) && error.retryable;
    return new Response(null, retryable ? { status: 503, headers: { 'retry-after': '2' } } : { status: 500 });
  }
}
