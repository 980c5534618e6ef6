import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import type { BenchResult } from '../result.js';
import { UsageError } from '../run/select-cases.js';

/** Published with the app: `schema/result-v1.schema.json`, generated from `BenchResult`. */
const schemaFile = new URL('../../schema/result-v1.schema.json', import.meta.url);

/** Reads a `result.json` and holds it to the schema. Rejects with a `UsageError` that says what is wrong with it. */
export async function readResult(path: string): Promise<BenchResult> {
  const result = await parsed(path);
  const version = (result as Partial<BenchResult> | null)?.schemaVersion;
  if (version !== 1) throw new UsageError(`${path}: schemaVersion is ${version}, 1 is understood`);
  const ajv = new Ajv();
  const validate = ajv.compile<BenchResult>(JSON.parse(await readFile(schemaFile, 'utf8')));
  if (!validate(result)) throw new UsageError(`${path}: ${ajv.errorsText(validate.errors)}`);
  return result;
}

async function parsed(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}
