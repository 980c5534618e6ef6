import type { IdPart } from '@ids/core';
import { defaultLayout } from './id-format.js';
import {
  DEFAULT_EPOCH,
  DISCORD_EPOCH,
  isLayoutName,
  LAYOUTS,
  type Layout,
  layoutText,
  partsOf,
  TWITTER_EPOCH,
} from './layout.js';

const DAY_MS = 86_400_000;
const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * What an id contains, by the options of its generator. Without any, by a default layout that fits, and only
 * if its time has come: small numbers are ids of sequences.
 */
export function inspectSnowflake(
  text: string,
  options?: Readonly<Record<string, unknown>>,
): readonly IdPart[] | undefined {
  if (!/^(0|[1-9]\d{0,18})$/.test(text)) return undefined;
  const id = BigInt(text);
  const known = options !== undefined;
  const layout = layoutOfOptions(options ?? { as: id <= MAX_NUMBER ? 'number' : 'bigint' });
  const parts = partsOf(id, layout);
  if (parts === undefined) return undefined;
  if (!known && (parts.timeMs < layout.epoch + DAY_MS || parts.timeMs > Date.now() + DAY_MS))
    return undefined;
  return [
    { name: 'time', value: new Date(parts.timeMs).toISOString(), note: timeNote(id, layout, known) },
    { name: 'slot', value: String(parts.slot) },
    { name: 'sequence', value: String(parts.sequence) },
  ];
}

function layoutOfOptions({ layout, as, epoch }: Readonly<Record<string, unknown>>): Layout {
  const name = isLayoutName(layout) ? layout : defaultLayout(as === 'number' ? 'number' : 'bigint');
  return { ...LAYOUTS[name], epoch: typeof epoch === 'number' ? epoch : DEFAULT_EPOCH };
}

/** Where the layout is a guess, the time by the epochs of others. */
function timeNote(id: bigint, layout: Layout, known: boolean): string {
  const read = `layout ${layoutText(layout)}`;
  if (known || layout.slotBits !== 10) return known ? read : `if it is of the ${read}`;
  const [twitter, discord] = [TWITTER_EPOCH, DISCORD_EPOCH].map((epoch) => {
    const { timeMs = 0 } = partsOf(id, { ...layout, epoch }) ?? {};
    return new Date(timeMs).toISOString();
  });
  return `if it is of the ${read}; of Twitter: ${twitter}, of Discord: ${discord}`;
}
