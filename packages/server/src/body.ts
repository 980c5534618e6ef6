import * as v from 'valibot';
import type { Exchange } from './middleware.js';
import { badRequest } from './problems.js';
import { issueText } from './schemas.js';

const JSON_TYPE = /^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/** The body of a request, in the form of `schema`; throws a 400 for another one. */
export async function bodyOf<S extends v.GenericSchema>(c: Exchange, schema: S): Promise<v.InferOutput<S>> {
  // The page of a website may send other types without a preflight.
  const isJson = JSON_TYPE.test(c.req.header('content-type') ?? '');
  const { success, output, issues } = v.safeParse(schema, isJson ? await parsed(c) : {});
  if (success) return output;
  throw badRequest(issueText(issues));
}

async function parsed(c: Exchange): Promise<unknown> {
  try {
    return await c.req.raw.json();
  } catch {
    throw badRequest('the body must be JSON');
  }
}
