import cluster from 'node:cluster';
import { thisProcess } from '../../src/index.js';

// Prints the gpids of two workers, then lives on with them.
if (cluster.isPrimary) {
  const gpids: string[] = [];
  cluster.on('message', (_, gpid: string) => {
    gpids.push(gpid);
    if (gpids.length === 2) process.stdout.write(`${JSON.stringify(gpids)}\n`);
  });
  cluster.fork();
  cluster.fork();
} else {
  process.send?.(String(thisProcess({ port: 8888, address: '10.0.0.7' })));
}
