// An author of a strategy: an empty folder, the packed tarballs, and docs/writing-a-strategy.md from top to
// bottom. Its files are written and its commands run in the order of the page. The last ones measure on
// servers that are named by URL, for needs in a config file.
import { deepEqual } from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadConfig, planGenerators } from '../packages/config/dist/index.js';
import { startPostgres, startRedis } from '../packages/local-services/dist/index.js';
import { segmentInproc } from '../packages/segment-inproc/dist/index.js';

const page = readFileSync(fileURLToPath(new URL('../docs/writing-a-strategy.md', import.meta.url)), 'utf8');

/** In the order of the page: commands, and files, which begin with a comment such as `// counter.ts`. */
const steps = [...page.matchAll(/^```(sh|ts)\n(.*?)^```$/gms)].flatMap(([, language, text]) => {
  if (language === 'sh') return [{ commands: text }];
  const [, file] = /^\/\/ ([\w.-]+)\n/.exec(text) ?? [];
  return file === undefined ? [] : [{ file, text }];
});

/** The published packages that are not in `packages`. */
const FOLDERS = { '@ids/bench': 'apps/bench' };

/** What the service of this journey needs. */
const config = {
  generators: {
    ticket: { strategy: 'segment-inproc', require: { unique: 'cluster', type: 'number' }, minStep: 50 },
  },
};

/**
 * Throws unless the page leads to passed tests and a row in the bench. `tarballs`: file: specifiers by name.
 */
export async function firstStrategy(tarballs) {
  const postgres = await startPostgres();
  const redis = await startRedis();
  const cwd = mkdtempSync(join(tmpdir(), 'ids-first-strategy-'));
  const env = { ...process.env, DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  const sh = async (script) => {
    const command = withTarballs(script, tarballs);
    try {
      return await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', command], { cwd, env });
    } catch ({ stdout, stderr }) {
      throw new Error(`docs/writing-a-strategy.md: this failed:\n${command}\n${stdout}${stderr}`);
    }
  };
  try {
    for (const { file, text, commands } of steps) {
      if (file !== undefined) writeFileSync(join(cwd, file), text);
      else report(commands, await sh(commands));
    }
    await measureWithConfig(cwd, sh);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
    await Promise.all([redis.close(), postgres.close()]);
  }
  return steps.length + 1;
}

/** Packages come as tarballs, with what they depend on; and a smoke run takes seconds. */
function withTarballs(script, tarballs) {
  const all = Object.values(tarballs);
  return script
    .replace(
      /npx @ids\/bench/g,
      `npx --yes ${all.map((one) => `--package=${one}`).join(' ')} ids-bench --smoke`,
    )
    .replace(/^npm install .*@ids\/.*$/gm, (line) =>
      line
        .replace(/@ids\/[\w-]+/g, (name) => [...withDependencies(name)].map((one) => tarballs[one]).join(' '))
        .replace('install', 'install --no-audit --no-fund'),
    );
}

/** The package and those of ours that it depends on: users get these from the registry. */
function withDependencies(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const manifest = new URL(
    `../${FOLDERS[name] ?? name.replace('@ids/', 'packages/')}/package.json`,
    import.meta.url,
  );
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const other of Object.keys(dependencies)) {
    if (other.startsWith('@ids/')) withDependencies(other, found);
  }
  return found;
}

function report(commands, { stdout }) {
  const passed = /Tests\s+(\d+) passed/.exec(stripColours(stdout))?.[1];
  console.log(
    `from an empty folder, ${commands.trim().split('\n').at(-1)}${passed ? `: ${passed} tests` : ''}`,
  );
}

function stripColours(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  return text.replace(/\u001b\[\d+m/g, '');
}

/** The bench as the author's team uses it: with the needs of a service, and a config for them as output. */
async function measureWithConfig(cwd, sh) {
  writeFileSync(join(cwd, 'ids.config.json'), JSON.stringify(config));
  await sh('npx --yes esbuild counter-case.ts --format=esm --outfile=counter-case.js');
  await sh(
    'npx @ids/bench --strategy ./counter-case.js --only counter,segment-inproc --config ids.config.json',
  );
  const {
    cases,
    advice,
    config: written,
    environment: where,
  } = JSON.parse(readFileSync(join(cwd, 'bench-report/result.json'), 'utf8'));
  const rows = cases.filter(({ kind }) => kind === 'strategy').map(({ name, status }) => `${name} ${status}`);
  deepEqual(rows, ['counter ok', 'segment-inproc ok']);
  deepEqual(advice.needs.name, 'ticket');
  deepEqual(where.byUrl, ['sql']);
  const environment = { IDS_DATABASE_URL: 'postgres://db.example/ids' };
  // Nothing is recommended on a busy machine.
  deepEqual(written === undefined, advice.choice === undefined);
  if (written !== undefined) {
    const recommended = await loadConfig({ cwd: join(cwd, 'bench-report'), environment });
    planGenerators([segmentInproc], recommended);
  }
  console.log(
    'the bench with a strategy of its author, own servers and a config: a row for each, and their config',
  );
}
