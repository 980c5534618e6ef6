import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/**
 * How the watchdog ends a process. `KILL`: at once. `QUIT`: for Postgres, which then frees its shared memory.
 * `CONT`: not at all; it waits for a process that ends soon by itself, and kills it if it does not.
 */
export type EndSignal = 'KILL' | 'QUIT' | 'CONT';
type Watchdog = ChildProcessByStdio<Writable, null, null>;

const entries = new Map<string, string>();
let running: Watchdog | undefined;

/**
 * Makes the watchdog end the process group of `pid` with `signal` once this process is gone, unless released
 * before. Resolves once the watchdog is certain to know, even if this process dies at that moment.
 */
export function watchProcess(pid: number, identity: string, signal: EndSignal): Promise<void> {
  entries.set(`p${pid}`, `p ${pid} ${signal} ${identity}`);
  return tell();
}

/** Undoes {@link watchProcess}; harmless if there is nothing to undo. */
export function releaseProcess(pid: number): Promise<void> {
  return entries.delete(`p${pid}`) ? tell() : Promise.resolve();
}

/**
 * Makes the watchdog remove the folder once this process is gone, unless released before. `path` is absolute.
 */
export function watchDir(path: string): Promise<void> {
  if (!path.startsWith('/') || path.includes('\n')) {
    throw new Error(
      `temporary folder ${JSON.stringify(path)}: an absolute path without line breaks is needed`,
    );
  }
  entries.set(`d${path}`, `d ${path}`);
  return tell();
}

/** Undoes {@link watchDir}. */
export function releaseDir(path: string): Promise<void> {
  entries.delete(`d${path}`);
  return tell();
}

async function tell(): Promise<void> {
  try {
    await writeState();
  } catch {
    // Somebody ended the watchdog; its successor receives the whole state.
    await writeState();
  }
}

function writeState(): Promise<void> {
  running ??= start();
  const { stdin } = running;
  const block = [...entries.values(), 'end', ''].join('\n');
  return new Promise((resolve, reject) => stdin.write(block, (error) => (error ? reject(error) : resolve())));
}

function start(): Watchdog {
  // It has its own session: Ctrl-C and a closing terminal reach only the foreground group.
  const child = spawn('/bin/sh', ['-c', watchdogScript], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const forget = () => {
    if (running === child) running = undefined;
  };
  child.on('exit', forget);
  child.on('error', forget);
  child.stdin.on('error', forget);
  child.unref();
  (child.stdin as Socket).unref();
  return child;
}

/**
 * The start time of a running process, as a string to compare: PIDs are reused, but a PID with its start time
 * is not. `undefined` if there is no such process or it is a zombie. The script below uses the same rule.
 */
export function processIdentity(pid: number): string | undefined {
  if (!existsSync('/proc/self/stat')) return identityFromPs(pid);
  try {
    // The name of the command is in parentheses and may contain anything, so count fields from the last ')'.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function identityFromPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}

/**
 * A POSIX shell program that outlives the process that started it, for as long as it takes to clean up.
 *
 * Standard input is a pipe whose only writer is that process, so end of file means that it is gone, for
 * whatever reason (return, signal, crash, `kill -9`). Until then, each block of lines that ends with `end`
 * replaces the state: `p <pid> <signal> <identity>` is a process group to end, `d <path>` a folder to remove.
 * An incomplete block is ignored. A process is ended only if its start time is still the same, so a reused
 * PID is safe; a zombie counts as gone.
 */
const watchdogScript = `
trap '' HUP INT QUIT TERM
identity() {
  if [ -r "/proc/$1/stat" ]; then
    stat=$(cat "/proc/$1/stat" 2>/dev/null) || return
    set -- \${stat##*) }
    [ "$1" = Z ] || echo "\${20}"
  elif [ ! -e /proc/self/stat ]; then
    ps -o lstart= -p "$1" 2>/dev/null
  fi
}
signal_groups() {
  printf '%s' "$state" | while read -r kind pid signal expected; do
    [ "$kind" = p ] || continue
    [ "$(identity "$pid")" = "$expected" ] || continue
    kill -s "\${1:-$signal}" -- "-$pid"
    kill -s CONT -- "-$pid"
  done 2>/dev/null
}
some_alive() {
  printf '%s' "$state" | {
    while read -r kind pid signal expected; do
      [ "$kind" = p ] && [ "$(identity "$pid")" = "$expected" ] && exit 0
    done
    exit 1
  }
}
wait_for_end() {
  tries=$1
  while [ "$tries" -gt 0 ] && some_alive; do sleep 0.05; tries=$((tries - 1)); done
}
state=''
next=''
while IFS= read -r line; do
  if [ "$line" = end ]; then state=$next; next=''; else next="$next$line
"; fi
done
signal_groups
wait_for_end 160
signal_groups KILL
wait_for_end 100
printf '%s' "$state" | while IFS= read -r line; do
  case $line in
    'd /'*) for try in 1 2 3 4 5; do rm -rf -- "\${line#d }" && break; sleep 0.2; done ;;
  esac
done 2>/dev/null
`;
