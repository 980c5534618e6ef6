/**
 * The UUID of version 7 that stands for an ObjectId: its second, in milliseconds, then its other 8 bytes. Two
 * ObjectIds never have the same one, and the UUIDs sort as the ObjectIds do. Throws a `RangeError` for
 * anything but 24 lower-case hex digits.
 *
 * The 64 bits fill the 12 bits after the version and 52 of the 62 after the variant; the last 10 are 0.
 */
export function uuidOfObjectId(objectId: string): string {
  if (!/^[0-9a-f]{24}$/.test(objectId)) {
    throw new RangeError(`an ObjectId must be 24 lower-case hex digits, got ${JSON.stringify(objectId)}`);
  }
  const time = hex(BigInt(`0x${objectId.slice(0, 8)}`) * 1_000n, 12);
  const tail = BigInt(`0x${objectId.slice(11)}`) << 10n;
  const low = hex((0b10n << 62n) | tail, 16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${objectId.slice(8, 11)}-${low.slice(0, 4)}-${low.slice(4)}`;
}

/**
 * The ObjectId for which `uuidOfObjectId` returned this UUID. Throws a `RangeError` for UUIDs that it does
 * not return. About one in a million of other UUIDs of version 7 looks like one that it does: ask a table of
 * the old keys first.
 */
export function objectIdOfUuid(uuid: string): string {
  const digits = uuid.replaceAll('-', '');
  const objectId = /^[0-9a-f]{32}$/.test(digits) ? decoded(digits) : '';
  if (objectId.length !== 24 || uuidOfObjectId(objectId) !== uuid) {
    throw new RangeError(`must be a UUID made from an ObjectId, in lower case, got ${JSON.stringify(uuid)}`);
  }
  return objectId;
}

/** More than 24 digits if the seconds do not fit into an ObjectId. */
function decoded(digits: string): string {
  const seconds = BigInt(`0x${digits.slice(0, 12)}`) / 1_000n;
  const tail = (BigInt(`0x${digits.slice(16)}`) & ((1n << 62n) - 1n)) >> 10n;
  return hex(seconds, 8) + digits.slice(13, 16) + hex(tail, 13);
}

function hex(value: bigint, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
