import { createCodec } from '@ids/encode';
import { createUuid7Generator } from '@ids/uuid7';

export default async function run() {
  const ids = createUuid7Generator();
  const codec = createCodec(ids.guarantees, { form: 'typeid', prefix: 'order' });
  for (const id of ids.nextBatchSync(1_000)) {
    const text = codec.encode(id);
    if (!text.startsWith('order_') || codec.decode(text) !== id) throw new Error(`${id} became ${text}`);
  }
}
