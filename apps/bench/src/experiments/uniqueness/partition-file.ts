import { type FileHandle, open } from 'node:fs/promises';

/** Where one buffer of a partition was written. */
interface Chunk {
  readonly partition: number;
  /** In bytes. */
  readonly offset: number;
  readonly words: number;
}

/** A file of records in chunks, each chunk of one partition. */
export interface PartitionFile {
  readonly path: string;
  readonly chunks: readonly Chunk[];
}

/**
 * Collects records by partition and spills each buffer to one file when it is full, so that memory stays at
 * `partitions * bufferWords * 4` bytes however many records there are. A record is never cut in two.
 */
export class PartitionWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #buffers: readonly Uint32Array[];
  readonly #filled: Uint32Array;
  readonly #chunks: Chunk[] = [];
  #offset = 0;

  private constructor(path: string, file: FileHandle, partitions: number, bufferWords: number) {
    this.#path = path;
    this.#file = file;
    this.#buffers = Array.from({ length: partitions }, () => new Uint32Array(bufferWords));
    this.#filled = new Uint32Array(partitions);
  }

  static async create(path: string, partitions: number, bufferWords: number): Promise<PartitionWriter> {
    return new PartitionWriter(path, await open(path, 'wx'), partitions, bufferWords);
  }

  /** Whether a record of `words` can be added without a spill. */
  fits(partition: number, words: number): boolean {
    return (this.#filled[partition] as number) + words <= (this.#buffers[partition] as Uint32Array).length;
  }

  /** Adds a record: `index`, then the first `words` of `payload`. It must fit. */
  add(partition: number, index: number, payload: Uint32Array, words: number): void {
    const buffer = this.#buffers[partition] as Uint32Array;
    const at = this.#filled[partition] as number;
    buffer[at] = index;
    for (let i = 0; i < words; i++) buffer[at + 1 + i] = payload[i] as number;
    this.#filled[partition] = at + 1 + words;
  }

  async spill(partition: number): Promise<void> {
    const words = this.#filled[partition] as number;
    if (words === 0) return;
    const { buffer, byteOffset } = this.#buffers[partition] as Uint32Array;
    const bytes = new Uint8Array(buffer, byteOffset, words * 4);
    for (let written = 0; written < bytes.length; ) {
      written += (await this.#file.write(bytes, written)).bytesWritten;
    }
    this.#chunks.push({ partition, offset: this.#offset, words });
    this.#offset += bytes.length;
    this.#filled[partition] = 0;
  }

  /** Writes what is left and closes the file. */
  async finish(): Promise<PartitionFile> {
    for (let partition = 0; partition < this.#buffers.length; partition++) await this.spill(partition);
    await this.close();
    return { path: this.#path, chunks: this.#chunks };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** One partition as all processes together wrote it: the records of process p end before word `ends[p]`. */
export interface Partition {
  readonly words: Uint32Array;
  readonly ends: readonly number[];
}

/** Reads one partition of all files, file by file in the order given. */
export async function readPartition(files: readonly PartitionFile[], partition: number): Promise<Partition> {
  const chunks = files.map((file) => file.chunks.filter((chunk) => chunk.partition === partition));
  const total = chunks.flat().reduce((sum, { words }) => sum + words, 0);
  const words = new Uint32Array(total);
  const ends: number[] = [];
  let at = 0;
  for (const [index, { path }] of files.entries()) {
    const file = await open(path, 'r');
    try {
      for (const chunk of chunks[index] ?? []) {
        const target = new Uint8Array(words.buffer, at * 4, chunk.words * 4);
        const { bytesRead } = await file.read(target, 0, target.length, chunk.offset);
        if (bytesRead !== target.length) throw new Error(`${path} was cut short at byte ${chunk.offset}`);
        at += chunk.words;
      }
    } finally {
      await file.close();
    }
    ends.push(at);
  }
  return { words, ends };
}
