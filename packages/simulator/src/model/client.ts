import { isIdError } from '@ids/core';
import type { RedisLike } from '@ids/segment-redis-db';
import { RedisError, toClient } from '../redis/commands.js';
import type { WrapRedis } from '../world/world.js';
import { differ, type Mapping, realmOf } from './compare-state.js';
import {
  claimInModel,
  grants,
  idsIn,
  installInModel,
  LOW_WATER,
  type Position,
  takeInModel,
} from './outcomes.js';
import type { DispenserHash, FillLease, loadDispenserHash } from './product.js';
import { KEY, LOCK_MS, type Servers } from './servers.js';
import { type Line, type ModelState, numberOf } from './walk.js';

export interface ReplayOptions {
  /** From `loadDispenserHash`. */
  readonly DispenserHash: Awaited<ReturnType<typeof loadDispenserHash>>;
  readonly seed: number;
  /** With 2, each client has its own realm. */
  readonly realms: 1 | 2;
  /** The id that stands for id 1 of the model. */
  readonly firstId: number;
  /** Entries of the ring in the scripts, after `wrap`. */
  readonly ringLength: number;
  /** Changes the scripts before they are sent, to remove a guard. */
  readonly wrap?: WrapRedis | undefined;
}

/** The maximum number of booked ids, in the model. */
const MAX_DEBT = 3;

/** The numbers of a line `send`: which kinds are takes, and what the connection loses. */
const TAKES = [1, 2];
const LOST = { reply: 1, command: 2 };

/** One client of the model: sends the real commands to the node of each step, and compares the replies. */
export class Client {
  /** Names the client in the fill lease; empty before its first command. */
  holder = '';
  readonly #realm: string;
  readonly #servers: Servers;
  readonly #mapping: Mapping;
  readonly #hash: DispenserHash;
  #node = 0;
  /** The arguments after the key in the last command. */
  #args: readonly string[] = [];
  #losesReply = false;
  /** The nonce of a take whose reply was lost: the command may be sent again. */
  #lostNonce: string | undefined;
  /** The nonce of the next take, instead of a fresh one. */
  #nonce: string | undefined;

  constructor(me: number, servers: Servers, mapping: Mapping, options: ReplayOptions) {
    this.#realm = realmOf(options.realms === 1 ? 0 : me);
    this.#servers = servers;
    this.#mapping = mapping;
    const redis = this.#redis();
    this.#hash = new options.DispenserHash({
      redis: options.wrap?.(redis) ?? redis,
      key: KEY,
      lockMs: LOCK_MS,
      owner: `client ${me}`,
      waitReplicas: 0,
      maxHeld: Number.POSITIVE_INFINITY,
    });
  }

  /** Executes the line, if it is a command, and returns the differences from the model. */
  async does(line: Line, position: Position): Promise<string[]> {
    const problems: string[] = [];
    try {
      await this.#do(line, position, problems);
    } catch (error) {
      if (!isIdError(error)) throw error;
      problems.push(`${line.kind}: the model serves it, the scripts do not: ${error.message}`);
    }
    return problems;
  }

  async #do(line: Line, position: Position, problems: string[]): Promise<void> {
    this.#node = line.numbers.node ?? 0;
    switch (line.kind) {
      case 'send':
        this.#losesReply = numberOf(line, 'loss') === LOST.reply;
        if (numberOf(line, 'loss') === LOST.command && TAKES.includes(numberOf(line, 'kind')))
          this.#lostNonce = undefined;
        break;
      case 'take':
        await this.#take(line, position, problems);
        break;
      case 'claim':
        await this.#claim(line, position, problems);
        break;
      case 'claimAgain':
        await this.#claimAgain(line, position, problems);
        break;
      case 'install': {
        const [low, high] = [numberOf(line, 'low'), numberOf(line, 'high')].map(this.#mapping.id);
        const verdict = await this.#hash.install(this.#lease(line), { low: low ?? 0, high: high ?? 0 }, []);
        differ(problems, 'install')('verdict', installInModel(position), verdict);
        break;
      }
      case 'release':
        await this.#hash.release(this.#lease(line));
    }
  }

  /** A replica serves no client, and a master no client of another realm: neither may change anything. */
  async isRefused({ nodes, hashes }: ModelState): Promise<string[]> {
    const problems: string[] = [];
    for (const [which, { master }] of nodes.entries()) {
      const { r } = hashes[which as 0 | 1];
      if (master && (r === 0 || realmOf(r - 1) === this.#realm)) continue;
      this.#node = which;
      const fields = () => JSON.stringify([...(this.#servers.fields(which) ?? [])]);
      const before = fields();
      const booking = { generation: 'none', fill: 0, offset: 0, owed: 1 };
      const refused = {
        take: () => this.#hash.take(this.#request(1, 0, 0, true)),
        ...(!master && { claim: () => this.#hash.claim(booking, { lowWater: LOW_WATER, mayFill: false }) }),
      };
      for (const [command, run] of Object.entries(refused)) {
        const error = await run().then(
          () => undefined,
          (thrown: Error) => thrown,
        );
        const [role, refusal] = master
          ? ['of another realm', 'belongs to another sequence']
          : ['a replica', 'READONLY'];
        if (error === undefined) problems.push(`node ${which}, ${role}: the scripts serve a ${command}`);
        else if (!error.message.includes(refusal)) throw error;
      }
      if (fields() !== before) problems.push(`node ${which}: a command that was refused changed the hash`);
    }
    return problems;
  }

  async #take(line: Line, position: Position, problems: string[]): Promise<void> {
    this.#setClock(line, position);
    const again = numberOf(line, 'again') === 1;
    this.#nonce = again ? this.#lostNonce : undefined;
    const [count, last, top] = ['count', 'last', 'top'].map((name) => numberOf(line, name));
    const { id, generations } = this.#mapping;
    const {
      ranges,
      reigns: _,
      ...reply
    } = await this.#hash.take(
      this.#request(count ?? 0, id(last ?? 0), id(top ?? 0), numberOf(line, 'mayFill') === 1),
    );
    this.#nonce = undefined;
    const [, nonce, holder] = this.#args;
    this.holder = holder ?? '';
    this.#lostNonce = this.#losesReply && !again ? nonce : undefined;
    const began = position.step.lines.find(({ kind }) => kind === 'took')?.numbers.began ?? 0;
    if (began > 0) {
      const name = this.#servers.fields(this.#node)?.get('g') ?? '';
      const problem = generations.begin(began, name);
      if (problem !== undefined) problems.push(problem);
    }
    compare(problems, 'take', takeInModel(line, position, this.#mapping), { ids: idsIn(ranges), ...reply });
  }

  async #claim(line: Line, position: Position, problems: string[]): Promise<void> {
    this.#setClock(line, position);
    const [fill, offset, owed] = ['q', 'offset', 'owed'].map((name) => numberOf(line, name));
    const { generation } = this.#lease(line);
    const booking = { generation, fill: fill ?? 0, offset: offset ?? 0, owed: owed ?? 0 };
    const readiness = { lowWater: LOW_WATER, mayFill: numberOf(line, 'mayFill') === 1 };
    const { ranges, reigns: _, ...reply } = await this.#hash.claim(booking, readiness);
    const ids = ranges && { ids: idsIn(ranges) };
    compare(problems, 'claim', claimInModel(line, position, this.#mapping), { ...reply, ...ids });
  }

  /** Of these, the model keeps only that the lease may be granted, as for a claim with ids still owed. */
  async #claimAgain(line: Line, position: Position, problems: string[]): Promise<void> {
    this.#setClock(line, position);
    const { generation } = this.#lease(line);
    const booking = { generation, fill: numberOf(line, 'q'), offset: 0, owed: 1 };
    const { lease } = await this.#hash.claim(booking, { lowWater: LOW_WATER, mayFill: true });
    differ(problems, 'claim again')('lease', grants(position.step), lease !== undefined);
  }

  #setClock(line: Line, { number }: Position): void {
    this.#servers.setClock(this.#node, numberOf(line, 'lapsed') === 1, number);
  }

  #request(count: number, last: number, top: number, mayFill: boolean) {
    const limits = { lowWater: LOW_WATER, maxDebt: MAX_DEBT };
    // The database of the model has one reign.
    return { count, last, top, mayFill, ...limits, realm: this.#realm, reigns: [] };
  }

  #lease(line: Line): FillLease {
    const generation = this.#mapping.generations.of(numberOf(line, 'generation'));
    return { generation, floor: 0, debt: 0, room: LOW_WATER };
  }

  #redis(): RedisLike {
    const run = async (...command: (string | number)[]): Promise<unknown> => {
      const args = command.map(String);
      if (this.#nonce !== undefined) args[5] = this.#nonce;
      this.#args = args.slice(4);
      const reply = this.#servers.node(this.#node).execute(args);
      if (reply instanceof RedisError) throw reply;
      return toClient(reply);
    };
    return {
      evalsha: (...args) => run('EVALSHA', ...args),
      eval: (...args) => run('EVAL', ...args),
      pipeline: () => {
        throw new Error('a replay confirms nothing by WAIT');
      },
    };
  }
}

/** Notes each value that differs from the model. */
function compare(problems: string[], command: string, model: object, reply: object): void {
  const differs = differ(problems, `reply to a ${command}`);
  for (const name of new Set([...Object.keys(model), ...Object.keys(reply)])) {
    if (name === 'unconfirmed') continue;
    differs(name, Reflect.get(model, name), Reflect.get(reply, name));
  }
}
