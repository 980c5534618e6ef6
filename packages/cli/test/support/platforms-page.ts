import { STATUS_WORDS } from '../../src/checks/platform-checks.js';
import type { Platform, Sign } from '../../src/platforms/platform.js';

/** The longest line of prose in a Markdown file. */
const WIDTH = 120;

/** The part of docs/platforms.md about these platforms: a table, and a sentence about each below it. */
export function platformsPart(platforms: readonly Platform[]): string {
  const rows = platforms.map(
    (platform) => `| ${platform.name} | ${STATUS_WORDS[platform.status]} | ${recognisedBy(platform)} |`,
  );
  return [
    '| platform | status | `ids doctor` recognises it by |',
    '| --- | --- | --- |',
    ...rows,
    '',
    ...platforms.map(sentence),
  ].join('\n');
}

function recognisedBy({ signs, looksLike }: Platform): string {
  if (signs.length > 0) return signs.map(signText).join(', ');
  return looksLike === undefined
    ? 'nothing: it does not speak this protocol'
    : `nothing: taken for ${looksLike}`;
}

function signText({ fact, starts, contains }: Sign): string {
  if (starts !== undefined) return `\`${fact}\` that begins with \`${starts}\``;
  return contains === undefined ? `\`${fact}\`` : `\`${fact}\` that contains \`${contains.trim()}\``;
}

function sentence({ name, why, source, instead }: Platform): string {
  const said = source === undefined ? why : `${why} ([source](${source}))`;
  const advice = instead === undefined ? '' : ` Use ${instead}.`;
  return wrapped(`- **${name}**: ${said}.${advice}`);
}

/** The item of a list in lines of at most `WIDTH` characters, where words allow it. */
function wrapped(item: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of item.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || longer.length <= WIDTH) line = longer;
    else {
      lines.push(line);
      line = `  ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
