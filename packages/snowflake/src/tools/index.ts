// Reads ids, and makes those of a back-fill, without a database and without anything of Node.js: for browsers
// and tools.
export { type SnowflakesAtOptions, snowflakesAt } from '../ids/at.js';
export { inspectSnowflake } from '../ids/inspect.js';
export {
  DEFAULT_EPOCH,
  DISCORD_EPOCH,
  type Layout,
  type LayoutName,
  layoutOf,
  lowestIdAt,
  TWITTER_EPOCH,
} from '../ids/layout.js';
export { type ParsedSnowflake, parseSnowflake } from '../ids/parse.js';
