import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderHtml } from '../report/html.js';
import type { BenchResult } from '../result.js';

export interface ReportPaths {
  readonly html: string;
  readonly json: string;
}

/** Writes both files into `dir`, which is made when missing. */
export async function writeReport(result: BenchResult, dir: string): Promise<ReportPaths> {
  const paths = { html: join(dir, 'index.html'), json: join(dir, 'result.json') };
  const json = toJson(result);
  await mkdir(dir, { recursive: true });
  await writeFile(paths.json, json);
  // From the file's own text, so that what the page shows is in the file.
  await writeFile(paths.html, renderHtml(JSON.parse(json)));
  return paths;
}

/** Figures are rounded to six digits: no measurement here has more. */
export function toJson(result: BenchResult): string {
  const round = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(6)) : value;
  return `${JSON.stringify(result, round)}\n`;
}
