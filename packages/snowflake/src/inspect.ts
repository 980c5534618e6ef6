import type { IdPart } from '@ids/core';
import {
  DEFAULT_EPOCH,
  DISCORD_EPOCH,
  isLayoutName,
  LAYOUTS,
  type Layout,
  type LayoutName,
  layoutText,
  partsOf,
  TWITTER_EPOCH,
} from './layout.js';

const DAY_MS = 86_400_000;

/**
 * What an id contains, by the layout and epoch of `options`. Without them, by the default ones, and only if
 * its time has come: small numbers are ids of sequences.
 */
export function inspectSnowflake(
  text: string,
  options: Readonly<Record<string, unknown>> = {},
): readonly IdPart[] | undefined {
  if (!/^(0|[1-9]\d{0,18})$/.test(text)) return undefined;
  const id = BigInt(text);
  const known = isLayoutName(options.layout) || options.as !== undefined || options.epoch !== undefined;
  const layout = layoutOfOptions(id, options);
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

function layoutOfOptions(id: bigint, { layout, as, epoch }: Readonly<Record<string, unknown>>): Layout {
  const small = as === undefined ? id <= BigInt(Number.MAX_SAFE_INTEGER) : as === 'number';
  const name: LayoutName = isLayoutName(layout) ? layout : small ? '41+6+6' : '41+10+12';
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
