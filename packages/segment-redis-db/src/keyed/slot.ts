const SLOTS = 16_384;

/** The slot in which a Redis Cluster keeps a name: CRC16 (XMODEM) of the name, or of the tag in it. */
export function slotOf(name: string): number {
  const [, tag = name] = /^[^{]*\{([^}]+)\}/.exec(name) ?? [];
  let crc = 0;
  for (const byte of new TextEncoder().encode(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021) & 0xffff;
  }
  return crc % SLOTS;
}
