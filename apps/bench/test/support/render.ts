import { renderPage } from '../../src/report/page.js';
import { reportOf } from '../../src/report/sections.js';
import type { BenchResult } from '../../src/schema/run.js';

export function renderHtml(result: BenchResult): string {
  return renderPage(result, reportOf(result));
}
