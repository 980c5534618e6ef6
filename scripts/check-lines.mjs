// Lines that are too long to read: prose above 120 characters, comments above 110. Tables, code and decisions
// of the past are left out, as are snapshots, and what cannot be broken.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const PROSE = 120;
const COMMENT = 110;

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(path));
const problems = tracked.flatMap((path) => {
  if (/\.md$/.test(path) && !/^docs\/decisions\/|^\.changeset\/|\/test\/messages\.md$/.test(path))
    return tooLong(path, proseOf, PROSE);
  if (/\.(ts|mts|mjs|js)$/.test(path) && !/\.generated\.ts$/.test(path))
    return tooLong(path, commentsOf, COMMENT);
  return [];
});
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

function tooLong(path, select, limit) {
  return select(readFileSync(path, 'utf8').split('\n'))
    .filter(({ line }) => line.length > limit && line.trim().includes(' '))
    .map(({ line, number }) => `${path}:${number}: ${line.length} characters, ${limit} are the limit`);
}

function proseOf(lines) {
  let inCode = false;
  return numbered(lines).filter(({ line }) => {
    if (line.startsWith('```')) inCode = !inCode;
    return !inCode && !/^(\||```| {4})/.test(line);
  });
}

function commentsOf(lines) {
  return numbered(lines).filter(({ line }) => /^\s*(\/\/|\/\*\*|\*) (?!biome-ignore|https?:)/.test(line));
}

function numbered(lines) {
  return lines.map((line, index) => ({ line, number: index + 1 }));
}
