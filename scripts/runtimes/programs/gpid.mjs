import { createGpidGenerator, parseGpidId } from '@ids/gpid';

export default async function run() {
  const ids = createGpidGenerator({ port: 8888, address: '10.0.0.7' }).nextBatchSync(1_000);
  const sequences = ids.map((id) => parseGpidId(id).sequence);
  if (new Set(ids).size !== 1_000 || sequences.at(-1) - sequences[0] !== 999) throw new Error('must count');
}
