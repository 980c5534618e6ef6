import { spawnSync } from 'node:child_process';
import { Gpid, isAlive, thisProcess } from '../../src/index.js';

// Run as root: prints, in JSON, what a process of another user finds of this one, of a pid that
// nobody has, and of itself.
const NOBODY = 65_534;
const [, script = '', hidden] = process.argv;
const own = thisProcess({ port: 8888, address: '127.0.0.1' });
if (hidden === undefined) {
  const args = [...process.execArgv, script, String(own)];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    uid: NOBODY,
    gid: NOBODY,
    encoding: 'utf8',
  });
  process.stdout.write(stdout === '' ? `${JSON.stringify({ error: stderr })}\n` : stdout);
} else {
  const nobody = Gpid.of({ ...partsOf(own), pid: 4_194_304 });
  const found = [Gpid.parse(hidden), nobody, own].map((gpid) => String(isAlive(gpid)));
  process.stdout.write(`${JSON.stringify({ found })}\n`);
}

function partsOf({ ip, port, startTime, pid, evidence }: Gpid) {
  return { ip, port, startTime, pid, evidence };
}
