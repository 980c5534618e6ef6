import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { REDIS_PLATFORMS } from '../src/platforms/redis-platforms.js';
import { SQL_PLATFORMS } from '../src/platforms/sql-platforms.js';
import { platformsPart } from './support/platforms-page.js';

const page = fileURLToPath(new URL('../../../docs/platforms.md', import.meta.url));

/** Without what a formatter adds: spaces and dashes of tables. */
const bare = (text: string): string => text.replace(/\s+/g, ' ').replace(/-{3,}/g, '---').trim();

describe('docs/platforms.md', () => {
  it.each([
    ['redis', REDIS_PLATFORMS],
    ['databases', SQL_PLATFORMS],
  ])('says of %s what ids doctor says (IDS_WRITE_DOCS=1 writes it anew)', (part, platforms) => {
    const place = new RegExp(`(?<=<!-- ${part} -->\n).*?(?=<!-- /${part} -->)`, 's');
    const wanted = platformsPart(platforms);
    if (process.env.IDS_WRITE_DOCS === '1')
      writeFileSync(
        page,
        readFileSync(page, 'utf8').replace(place, () => `\n${wanted}\n\n`),
      );
    const [written = ''] = place.exec(readFileSync(page, 'utf8')) ?? [];
    expect(bare(written)).toBe(bare(wanted));
  });
});
