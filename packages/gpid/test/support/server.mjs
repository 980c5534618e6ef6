// A server that tells its gpid to whoever connects. It starts to listen when it reads a port, so that a
// successor can stand ready while its predecessor still lives. Plain JavaScript against the built package:
// 200 of them start in one test.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fromServer } from '../../dist/index.js';

process.stdout.write('ready\n');
const [port] = await once(createInterface({ input: process.stdin }), 'line');
const server = createServer((socket) => socket.end(`${fromServer(server)}\n`));
server.listen(Number(port), '127.0.0.1');
await once(server, 'listening');
const bound = /** @type {import('node:net').AddressInfo} */ (server.address());
process.stdout.write(`${bound.port}\n`);
