import { idsCommand } from '@ids/cli';
import { uuid7 } from '@ids/uuid7';

export default async function run() {
  let written = '';
  const stdout = {
    write: (text) => {
      written += text;
    },
  };
  const context = {
    strategies: [uuid7],
    cwd: '/',
    environment: {},
    stdout,
    stderr: { write: () => undefined },
  };
  const code = await idsCommand(['inspect', '019b76da-a800-7abc-9d78-9abcfedcba98', '--json'], context);
  if (code !== 0 || !written.includes('2026-01-01T00:00:00.000Z'))
    throw new Error(`code ${code}: ${written}`);
}
