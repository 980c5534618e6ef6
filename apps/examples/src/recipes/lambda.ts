import { isIdError } from '@ids/core';
import { openServiceIds } from '../open-service-ids.js';

/** Opened by the first invocation of an instance. Nothing closes it: Lambda ends instances without notice. */
let opened: ReturnType<typeof openServiceIds> | undefined;

function serviceIds(): ReturnType<typeof openServiceIds> {
  opened ??= openServiceIds({}).catch((error) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

/** `POST /orders` behind a function URL or an API Gateway. */
export async function handler() {
  try {
    const id = await (await serviceIds()).get('order').next();
    return { statusCode: 201, body: JSON.stringify({ id: String(id) }) };
  } catch (error) {
    // The log gets the cause; strangers learn only whether trying again can help.
    console.error(error);
    if (!isIdError(error) || !error.retryable)
      return { statusCode: 500, body: JSON.stringify({ error: 'no id can be issued' }) };
    const headers = { 'retry-after': '2' };
    return { statusCode: 503, headers, body: JSON.stringify({ error: 'no id can be issued now' }) };
  }
}
