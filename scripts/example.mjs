// `pnpm example`: builds the order service of apps/examples and runs it on loopback, on a file of SQLite. A
// Redis and a Postgres of its own run for the strategy that needs them. Ctrl-C ends all of it.
import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `pnpm example [--port 3000] [--strategy NAME]

Serves order IDs on loopback until Ctrl-C, from the strategy in apps/examples/service/ids.config.json.

  --port      the port; 0 takes a free one (default: 3000, or the next one that is free)
  --strategy  another strategy than that of the config, as the variable IDS_ORDER_STRATEGY`;

/** How many ports after the default one may be taken. */
const PORTS = 100;
const host = '127.0.0.1';
const cwd = fileURLToPath(new URL('../apps/examples/service', import.meta.url));
const { port: wanted, strategy, help } = readOptions();
if (help) {
  console.log(USAGE);
  process.exit();
}
const build = [fileURLToPath(new URL('prepare-dist.mjs', import.meta.url)), '--filter=@ids/examples...'];
const { status } = spawnSync(process.execPath, build, { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
// What was just built.
const { idsCommand } = await import('../packages/cli/dist/index.js');
const { readConfig } = await import('../packages/config/dist/index.js');
const { isFree } = await import('../packages/local-services/dist/ports.js');
const { startLocalServices } = await import('../packages/local-services/dist/index.js');
const { serviceStrategies: strategies } = await import('../apps/examples/dist/open-service-ids.js');
const { startOrderService } = await import('../apps/examples/dist/order-service.js');

const environment = { ...process.env, ...(strategy && { IDS_ORDER_STRATEGY: strategy }) };
const { config, file } = await readConfig({ cwd, environment });
const chosen = config.generators.order.strategy;
const servers = chosen === 'segment-redis-db' ? await startLocalServices() : undefined;
if (servers) {
  Object.assign(environment, { IDS_REDIS_URL: servers.redisUrl, IDS_DATABASE_URL: servers.databaseUrl });
}
try {
  await serve(await portToUse());
} catch (error) {
  console.error(`example: ${error.message}`);
  process.exitCode = 1;
  await servers?.close();
}

async function serve(port) {
  await createTables();
  const service = await startOrderService({ cwd, environment, port, host });
  const origin = `http://${host}:${service.server.address().port}`;
  console.log(`order IDs of ${chosen} at ${origin}
config: ${relative(process.cwd(), `${cwd}/${file}`)}

  curl -X POST ${origin}/orders
  curl ${origin}/readyz

another strategy: press Ctrl-C, change "strategy" in the config or say --strategy, and start again:
  ${strategies.map(({ name }) => name).join(', ')}`);
  const stop = async () => {
    await service[Symbol.asyncDispose]();
    await servers?.close();
    console.log('ended, with all that it had started');
  };
  let stopping;
  // Ctrl-C may arrive twice: from the terminal, and from pnpm.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => (stopping ??= stop()));
}

/** As `ids apply` does; what is there stays. */
async function createTables() {
  let said = '';
  const output = { write: (text) => (said += text) };
  const context = { strategies, cwd, environment, stdout: output, stderr: output };
  if ((await idsCommand(['apply'], context)) !== 0) throw new Error(`ids apply failed:\n${said}`);
}

async function portToUse() {
  if (wanted === 0 || (wanted !== undefined && (await isFree(wanted)))) return wanted;
  if (wanted !== undefined) throw new Error(`--port ${wanted} is in use: choose another one, or 0`);
  for (let port = 3_000; port < 3_000 + PORTS; port++) if (await isFree(port)) return port;
  throw new Error(`the ports 3000 to ${2_999 + PORTS} are in use: choose one with --port`);
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string' },
        strategy: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const { port } = values;
    if (port !== undefined && (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)) {
      throw new Error(`--port must be a whole number from 0 to 65535, got "${port}"`);
    }
    return { ...values, port: port === undefined ? undefined : Number(port) };
  } catch (error) {
    console.error(`example: ${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}
