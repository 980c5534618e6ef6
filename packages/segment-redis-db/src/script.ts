/** A Lua script as the build embeds it from `src/lua`. */
export interface Script {
  readonly name: string;
  /** SHA-1 of `text`, by which Redis knows a script it has run before. */
  readonly sha1: string;
  readonly text: string;
}
