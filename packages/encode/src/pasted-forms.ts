/** What tools, shells and documents put around an id. */
const AROUND: readonly RegExp[] = [
  /^urn:uuid:(?<id>.+)$/i,
  /^\{(?<id>[^{}:]+)\}$/,
  /^(?<quote>["'`])(?<id>.*)\k<quote>$/,
  /^(?:new\s+)?(?:ObjectId|UUID)\((?<id>.*)\)$/i,
  // Extended JSON of MongoDB.
  /^\{\s*"\$(?:oid|uuid)"\s*:(?<id>.*)\}$/,
];

/** The hexadecimal digits of an ObjectId or a UUID, in which case means nothing. */
const HEX = /^(?:[\da-f]{24}|[\da-f]{32}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;

/** A prefix, which is never issued in upper case, and a TypeID, which is not at all. */
const PREFIXED = /^(?<prefix>[A-Z][A-Z\d_]*_)(?<rest>.+)$/;
const TYPEID_SUFFIX = /^[\dA-Z]{26}$/;

/**
 * What an id may have been before somebody pasted it, likelier forms first; the first one is `text` itself. A
 * form changes case only where case cannot distinguish two ids.
 */
export function pastedForms(text: string): readonly string[] {
  const bare = unwrapped(text);
  return [...new Set([text, bare, ...inOwnCase(bare)])];
}

/** More than any tool puts around an id; text of quotes alone would have thousands. */
const MOST_LAYERS = 8;

function unwrapped(text: string, layers = MOST_LAYERS): string {
  const bare = text.trim();
  const inner = AROUND.map((around) => around.exec(bare)?.groups?.id).find((id) => id !== undefined);
  return inner === undefined || layers === 0 ? bare : unwrapped(inner, layers - 1);
}

function inOwnCase(id: string): readonly string[] {
  if (HEX.test(id)) {
    const digits = id.toLowerCase();
    return [digits, digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')];
  }
  const { prefix, rest } = PREFIXED.exec(id)?.groups ?? {};
  if (prefix === undefined || rest === undefined) return [];
  const lower = prefix.toLowerCase();
  return [`${lower}${rest}`, ...(TYPEID_SUFFIX.test(rest) ? [`${lower}${rest.toLowerCase()}`] : [])];
}
