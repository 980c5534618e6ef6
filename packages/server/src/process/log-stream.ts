import { type DestinationStream, pino } from 'pino';

/** How many bytes of lines wait for the end of a turn; more are written at once. */
const MOST_BYTES = 8_192;

/**
 * Writes lines to a file descriptor, all lines of a turn of the event loop at once: a write for each of
 * them took a fifth of the time of a busy server. A process that is killed loses the lines
 * of one turn; one that exits, none.
 */
export function logStream(fd: number): DestinationStream {
  const destination = pino.destination({ fd, sync: true, minLength: MOST_BYTES });
  let due = false;
  const flush = (): void => {
    if (!due) return;
    due = false;
    destination.flush();
  };
  process.on('exit', flush);
  return {
    write(line) {
      destination.write(line);
      if (due) return;
      due = true;
      setImmediate(flush);
    },
  };
}
