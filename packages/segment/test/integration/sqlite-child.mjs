// Reserves one id after the other from the file in the first argument, and prints each, until it is killed or
// has as many as the second argument says.
import { openSqlSource } from '@ids/segment/sql';

const [path, count = 'Infinity'] = process.argv.slice(2);
const source = await openSqlSource({ database: `sqlite:${path}` });
for (let made = 0; made < Number(count); made++) {
  const { low } = await source.reserve('order', 1);
  process.stdout.write(`${low}\n`);
}
await source.close();
