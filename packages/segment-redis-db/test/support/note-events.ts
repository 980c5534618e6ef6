import type { SegmentRedisDbListener } from '../../src/index.js';

/** What a recording passes to the `open` of a subject: it counts events of its processes. */
export type Note = (event: string) => void;

/** A listener that notes each event by its type, and a void state by its reason too: `void: reign`. */
export function noteEvents(note: Note = () => undefined): SegmentRedisDbListener {
  return (event) => note(event.type === 'void' ? `void: ${event.reason}` : event.type);
}
