import { parseArgs } from 'node:util';
import { checkWalks } from './check-walks.js';

const { values } = parseArgs({
  options: { walks: { type: 'string', default: '100' }, from: { type: 'string', default: '1' } },
});
const o = await checkWalks({ from: Number(values.from), walks: Number(values.walks) });
console.log(o);
console.log(o.failure);
