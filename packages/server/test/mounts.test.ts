import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { serverCases } from '@ids/http/cases';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { afterAll, expect, it } from 'vitest';
import { createIdsHandler } from '../src/handler.js';
import { listen } from '../src/process/listener.js';
import { caseServer } from './support/case-server.js';

type Handler = (request: Request) => Promise<Response>;

const opened: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of opened.splice(0)) await close();
});

async function inHono(handler: Handler): Promise<string> {
  const app = new Hono().all('/v1/*', (c) => handler(c.req.raw));
  const listener = await listen(async (request) => app.fetch(request), { host: '127.0.0.1', port: 0 });
  opened.push(() => listener.drain(0, async () => {}));
  return listener.url;
}

async function inFastify(handler: Handler): Promise<string> {
  // A body that is refused is not read to its end, which holds its connection.
  const app = fastify({ forceCloseConnections: true });
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The handler reads bodies itself.
    scope.addContentTypeParser('*', (_, body, done) => done(null, body));
    scope.all('/v1/*', async ({ method, url, headers, body }) => {
      const init = body instanceof Readable && { body: Readable.toWeb(body), duplex: 'half' };
      return handler(new Request(`http://ids${url}`, { method, headers, ...init } as RequestInit));
    });
  });
  opened.push(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
}

const COMMAND = fileURLToPath(import.meta.resolve('@ids/http/cases').replace(/index\.js$/, 'main.js'));

it.each([
  ['Hono', inHono],
  ['Fastify', inFastify],
])('a handler in %s passes the cases for servers, through the command', async (_, mount) => {
  const served = await caseServer();
  opened.push(
    ...Object.values(served.generators).map(
      ({ generator }) =>
        () =>
          generator.close(),
    ),
  );
  const url = await mount(createIdsHandler(served));
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [COMMAND, 'check-server', url], { stdio: [...stdio] });
  const [printed, [code]] = await Promise.all([text(child.stdout as Readable), once(child, 'close')]);
  expect(printed).toMatch(new RegExp(`\\n${serverCases().length} passed, 0 failed\\n$`));
  expect(code).toBe(0);
});
