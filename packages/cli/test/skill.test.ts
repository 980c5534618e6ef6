import { readFileSync, writeFileSync } from 'node:fs';
import { planGenerator, unmetNeeds } from '@ids/config';
import type { Guarantees } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { family } from '../src/built-in.js';
import { runIds } from './support/run-ids.js';

const file = new URL('../skills/choosing-ids/SKILL.md', import.meta.url);
const PLACE = /(?<=<!-- guarantees -->\n).*?(?=<!-- \/guarantees -->)/s;

/** What is in the table, in its order. That of `http` is what its server says. */
const SHOWN: readonly (readonly [strategy: string, options: string])[] = [
  ['uuid7', ''],
  ['objectid', ''],
  ['gpid', '"port": 0'],
  ['snowflake', ''],
  ['snowflake', '"as": "number"'],
  ['segment-inproc', ''],
  ['segment-inproc', '"order": "real-time"'],
  ['segment-redis-db', ''],
];

/** Nothing is opened. */
function guaranteesOf(strategy: string, options: string): Guarantees {
  const servers = { redis: 'redis://localhost', database: 'postgres://localhost/app' };
  // What a gpid may look like depends on the address of the machine.
  const own = strategy === 'gpid' ? { address: '10.0.0.7' } : {};
  const given = JSON.parse(`{${options}}`) as object;
  return planGenerator(family, servers, 'order', { ...own, ...given, strategy }).guarantees;
}

const nameOf = (strategy: string, options: string): string =>
  options === '' ? `\`${strategy}\`` : `\`${strategy}\`, \`${options}\``;

function table(): string {
  const rows = SHOWN.map(([strategy, options]) => {
    const { backends, order, gaps, sync, idType, text, discloses } = guaranteesOf(strategy, options);
    const skew = order.skewMs === undefined ? '' : `, ${order.skewMs} ms`;
    return [
      nameOf(strategy, options),
      backends.join(' and ') || 'nothing',
      order.process,
      `${order.cluster}${skew}`,
      gaps,
      sync ? 'yes' : 'no',
      `${idType}, up to ${text.maxLength} characters`,
      discloses.join(', '),
    ];
  });
  const head = [
    'strategy',
    'needs',
    'order in a process',
    'order',
    'gaps',
    '`nextSync`',
    'an ID is',
    'discloses',
  ];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Without the spaces and dashes that a formatter adds. */
const bare = (text: string): string => text.replace(/ +/g, ' ').replace(/-{3,}/g, '---').trim();

interface Advice {
  readonly name: string;
  readonly strategy: string;
  readonly options: string;
  readonly require: Parameters<typeof unmetNeeds>[0];
}

function advices(): Advice[] {
  const [part = ''] = /(?<=<!-- needs -->\n).*?(?=<!-- \/needs -->)/s.exec(readFileSync(file, 'utf8')) ?? [];
  const rows = part.matchAll(/^\|[^|`]+\| `([\w-]+)`(?:, `([^`]+)`)? +\| `([^`]+)` +\|$/gm);
  return [...rows].map(([, strategy = '', options = '', require = '']) => {
    return { name: nameOf(strategy, options), strategy, options, require: JSON.parse(require) };
  });
}

describe('the skill', () => {
  it('says what the strategies guarantee (IDS_WRITE_DOCS=1 writes it anew)', () => {
    if (process.env.IDS_WRITE_DOCS === '1')
      writeFileSync(file, readFileSync(file, 'utf8').replace(PLACE, `\n${table()}\n\n`));
    const [written = ''] = PLACE.exec(readFileSync(file, 'utf8')) ?? [];
    expect(bare(written)).toBe(bare(table()));
  });

  it('advises every strategy but http, with needs that it meets and that others do not', () => {
    const given = advices();
    const names = family.map(({ name }) => name).filter((name) => name !== 'http');
    expect([...new Set(given.map(({ strategy }) => strategy))].sort()).toEqual(names.sort());
    for (const { name, strategy, options, require } of given) {
      expect(unmetNeeds(require, guaranteesOf(strategy, options)), name).toEqual([]);
      const others = SHOWN.filter((one) => unmetNeeds(require, guaranteesOf(...one)).length === 0);
      expect(others.length, name).toBeLessThan(3);
    }
  });

  it('has the name of its folder, and is what the command prints', async () => {
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^---\nname: choosing-ids\ndescription: >-\n(?: {2}.+\n)+---\n/);
    expect(await runIds('/', ['skill'])).toEqual({ code: 0, stdout: text, stderr: '' });
    expect(JSON.parse((await runIds('/', ['skill', '--json'])).stdout).text).toBe(text);
  });

  it('names commands and options that exist', async () => {
    const calls = [...readFileSync(file, 'utf8').matchAll(/npx --no -- ids (\w+)([^`#\n]*)/g)];
    expect(calls.length).toBeGreaterThan(4);
    for (const [, command = '', rest = ''] of calls) {
      const { code, stdout } = await runIds('/', ['help', command]);
      expect(code, command).toBe(0);
      for (const [option] of rest.matchAll(/--[\w-]+/g)) expect(stdout, command).toContain(`${option} `);
    }
  });
});
