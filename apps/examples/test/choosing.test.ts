import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { choosingTables } from '../src/choosing-table.js';

const page = fileURLToPath(new URL('../../../docs/choosing.md', import.meta.url));
const TABLES = /(?<=<!-- tables -->\n).*?(?=<!-- \/tables -->)/s;

/** Without the spaces and dashes that a formatter adds. */
const bare = (table: string): string => table.replace(/ +/g, ' ').replace(/-{3,}/g, '---').trim();

describe('the tables in docs/choosing.md', () => {
  it('say what the strategies guarantee (IDS_WRITE_DOCS=1 writes it anew)', () => {
    const text = readFileSync(page, 'utf8');
    if (process.env.IDS_WRITE_DOCS === '1')
      writeFileSync(page, text.replace(TABLES, `\n${choosingTables()}\n\n`));
    const [written = ''] = TABLES.exec(readFileSync(page, 'utf8')) ?? [];
    expect(bare(written)).toBe(bare(choosingTables()));
  });
});
