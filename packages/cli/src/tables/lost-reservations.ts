/** A table that may have lost reservations. */
interface Lost {
  /** Whether its next reservation is refused; otherwise it skips ids. */
  readonly refused?: boolean | undefined;
  /** Whether it is that of a family, as in `StrategyStore`. */
  readonly byKey?: boolean | undefined;
  /** Whether its ids are issued from Redis, which reserves only when those there are used up. */
  readonly fromRedis?: boolean | undefined;
}

/**
 * What to do about a table that may have lost its last reservations. Safe to follow at any time and twice: a
 * floor only raises, and whoever is not sure of it keeps what the next reservation skips, which is above what
 * running processes hold. A floor that is checked skips nothing, so for that they are stopped first.
 */
export function afterLoss(generator: string, { refused, byKey, fromRedis }: Lost): string {
  if (byKey === true) return afterLossOfFamily(generator, refused, fromRedis);
  const raise = floorCommand(generator, 'the highest ID that anybody saw');
  if (refused) return `${STOP_ALL} the highest ID that was issued, then ${raise} --checked`;
  const first = `If more may have been issued since, first ${raise}`;
  return fromRedis
    ? `${first}. Redis goes on with the ids that it has. The refill after them skips the ids and ends this state, without a command`
    : `${first}. Then start a process, or npx --no -- ids next ${generator}: that skips the ids and ends this state`;
}

/** The row of a family says where new keys start, and any that seems new may be one that was lost. */
function afterLossOfFamily(generator: string, refused = false, fromRedis = false): string {
  const ofAny = floorCommand(generator, 'the highest ID that anybody saw of any key');
  const ofOne = `${floorCommand(generator, 'the highest ID that anybody saw of it')} --key <key>`;
  if (refused) {
    return `${STOP_ALL} the highest ID that was issued of any key, then ${ofAny} --checked: new keys start above it. Each older key is refused until ${ofOne} --checked`;
  }
  const first = `If more may have been issued of a key since, first ${ofOne}, and if keys may be missing that began since, ${ofAny}`;
  return fromRedis
    ? `${first}. Redis goes on with the ids that it has of each key. The first refill of any key raises where new keys start and ends this state, without a command. Each older key skips ids with its own next refill`
    : `${first}. Then start a process, or npx --no -- ids next ${generator} --key <a key>: that raises where new keys start and ends this state. Older keys skip the ids when they are used next`;
}

/**
 * The same for one key, whose next reservation is `refused` or skips ids. `ofFamily`: whether its family may
 * have lost keys, and is to be settled first.
 */
export function afterLossOfKey(
  generator: string,
  key: string,
  { refused, ofFamily, fromRedis }: Pick<Lost, 'refused' | 'fromRedis'> & { readonly ofFamily: boolean },
): string {
  const option = `--key '${key.replaceAll("'", `'\\''`)}'`;
  const raise = `${floorCommand(generator, 'the highest ID that anybody saw of it')} ${option}`;
  if (refused) {
    const family = floorCommand(generator, 'the highest ID that anybody saw of any key');
    const first = ofFamily ? `, after ${family} --checked for new keys` : '';
    return `${STOP_ALL} the highest ID of this key that was issued, then ${raise} --checked${first}`;
  }
  const more = `If more may have been issued of this key since, first ${raise}`;
  if (fromRedis) {
    return `${more}. Redis goes on with the ids that it has. The refill after them skips the ids and ends this state, without a command`;
  }
  return `${more}. Then start a process, or npx --no -- ids next ${generator} ${option}: that skips the ids and ends this state`;
}

/** While that server answers, ids above any floor may be issued there. */
const STOP_ALL =
  'Stop all processes that take IDs from it, which hold more of them than can be seen, and the server that was used before, if it still answers; find';

function floorCommand(generator: string, floor: string): string {
  return `npx --no -- ids floor ${generator} <${floor}>`;
}
