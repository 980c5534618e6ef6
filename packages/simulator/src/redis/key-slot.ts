export const SLOTS = 16_384;

/**
 * The hash slot of a key: CRC16 (XMODEM) of what stands between the first braces, of all
 * of it where nothing does.
 */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  const tag = close > open + 1 ? key.slice(open + 1, close) : key;
  let crc = 0;
  for (let i = 0; i < tag.length; i++) {
    crc ^= tag.charCodeAt(i) << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc % SLOTS;
}

/** The keys that a command names: by them a node of a Cluster knows whether it serves the command. */
export function keysOf(args: readonly string[]): readonly string[] {
  const name = (args[0] ?? '').toUpperCase();
  if (name === 'EVAL' || name === 'EVALSHA') return args.slice(3, 3 + Number(args[2]));
  if (name === 'DEL' || name === 'EXISTS') return args.slice(1);
  return /^(H?GET|HMGET|HGETALL|H?SET|TYPE)$/.test(name) ? args.slice(1, 2) : [];
}

/** Where the dispenser keeps a sequence. */
export function keyOf(name: string): string {
  return `ids:{${name}}`;
}
