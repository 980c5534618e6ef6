// Reserves ids of the keys a and b, and of a new one, from the file in the first argument, and prints each
// with its key, until it is killed or has done so as often as the second argument says.
import { openKeyedSource } from '@ids/keyed/sql';

const [path, count = 'Infinity'] = process.argv.slice(2);
const source = await openKeyedSource({ database: `sqlite:${path}` });
for (let made = 0; made < Number(count); made++) {
  let left = ['a', 'b', `new ${made}`];
  // Of a key that another process has made at the same moment, it may get none at first.
  while (left.length > 0) {
    const requests = left.map((key) => ({ key, size: 1 }));
    const { keys } = await source.reserve('message', requests, { wait: true });
    for (const [i, { high }] of keys.entries()) if (high) process.stdout.write(`${left[i]}:${high}\n`);
    left = left.filter((_, i) => keys[i].missed === 'locked');
  }
}
await source.close();
