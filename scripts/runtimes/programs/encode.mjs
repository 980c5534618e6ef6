import { createCodec } from '@ids/encode';
import { createTypeidCodec } from '@ids/encode/typeid';
import { createUlidCodec } from '@ids/encode/ulid';
import { createUuid7Generator } from '@ids/uuid7';

export default async function run() {
  const ids = createUuid7Generator();
  const codecs = [
    createCodec(ids.guarantees, { form: 'typeid', prefix: 'order' }),
    createTypeidCodec('order'),
    createUlidCodec(),
  ];
  for (const id of ids.nextBatchSync(1_000)) {
    const [typeid, small, ulid] = codecs.map((codec) => codec.encode(id));
    const read = codecs.map((codec) => codec.decode(codec.encode(id)));
    if (!typeid.startsWith('order_') || small !== typeid || ulid !== typeid.slice(6).toUpperCase()) {
      throw new Error(`${id} became ${typeid}, ${small} and ${ulid}`);
    }
    if (read.some((again) => again !== id)) throw new Error(`${id} was read as ${read.join(' and ')}`);
  }
}
