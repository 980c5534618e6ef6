// Reads ids without a database and without anything of Node.js: for browsers and tools.
export { inspectSnowflake } from '../inspect.js';
export {
  DEFAULT_EPOCH,
  DISCORD_EPOCH,
  type Layout,
  type LayoutName,
  layoutOf,
  lowestIdAt,
  TWITTER_EPOCH,
} from '../layout.js';
export { type ParsedSnowflake, parseSnowflake } from '../parse.js';
