import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UsageError } from '../cases/select.js';
import { type BenchResult, SCHEMA_VERSION } from '../schema/run.js';

/** Every result has them, whatever the command. */
const REQUIRED = ['cases', 'problems', 'environment'] as const satisfies (keyof BenchResult)[];

/**
 * Reads a `result.json`, which a bench of this version wrote. Rejects with a `UsageError` for a file of
 * another version, and for one that is no result.
 */
export async function readResult(path: string): Promise<BenchResult> {
  const found = await parsed(path);
  const result: Partial<BenchResult> = Object(found);
  if (result.schemaVersion !== SCHEMA_VERSION) {
    const version = String(result.schemaVersion);
    throw new UsageError(`${path}: schemaVersion is ${version}, ${SCHEMA_VERSION} is understood`);
  }
  const missing = REQUIRED.filter((key) => typeof result[key] !== 'object');
  if (missing.length > 0) throw new UsageError(`${path} is no result: ${missing.join(', ')} is missing`);
  return result as BenchResult;
}

async function parsed(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Figures are rounded to six digits: no measurement is more exact. */
export function toJson(result: object): string {
  const round = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
  return `${JSON.stringify(result, round)}\n`;
}

/** The contents of a report. */
interface ReportFiles {
  readonly page: string;
  readonly json: string;
  /** `ids.config.json`, if something was recommended. */
  readonly config?: string | undefined;
}

/** Where they were written. */
export interface ReportPaths {
  readonly html: string;
  readonly json: string;
  readonly config?: string;
}

/** Writes the files into `dir`, which it creates if necessary, in place of those of an earlier report. */
export async function writeReport(dir: string, { page, json, config }: ReportFiles): Promise<ReportPaths> {
  const paths = { html: join(dir, 'index.html'), json: join(dir, 'result.json') };
  await mkdir(dir, { recursive: true });
  await writeFile(paths.html, page);
  await writeFile(paths.json, json);
  const path = join(dir, 'ids.config.json');
  // One of an earlier report would pass for what this one recommends.
  if (config === undefined) {
    await rm(path, { force: true });
    return paths;
  }
  await writeFile(path, `${config}\n`);
  return { ...paths, config: path };
}
