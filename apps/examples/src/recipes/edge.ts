import { createTypeidCodec } from '@ids/encode/typeid';
import { createObjectIdGenerator } from '@ids/objectid';
import { createUuid7Generator } from '@ids/uuid7';

// One generator per isolate, for all requests: none of them opens anything or draws random bits before its
// first id.
const uuids = createUuid7Generator();
const objectIds = createObjectIdGenerator();
const typeIds = createTypeidCodec('order');

/** `workerd`, `bun run` and `deno serve` serve the default export of a module that has `fetch`. */
export default {
  fetch(): Response {
    const [uuid, objectId] = [uuids.nextSync(), objectIds.nextSync()];
    return Response.json({ uuid, typeId: typeIds.encode(uuid), objectId });
  },
};
