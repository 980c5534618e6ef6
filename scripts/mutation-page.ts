// Writes the table of docs/internal/mutation-testing.md from scripts/mutation/results.json. With --check, as
// in lint, it only compares them.
import { pageIsCurrent, writePage } from './mutation/results.js';

if (!process.argv.includes('--check')) writePage();
else if (!pageIsCurrent()) {
  console.error(
    'docs/internal/mutation-testing.md must have the table of scripts/mutation/results.json: npx tsx scripts/mutation-page.ts',
  );
  process.exitCode = 1;
}
