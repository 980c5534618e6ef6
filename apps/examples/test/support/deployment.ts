import { EventEmitter, once } from 'node:events';
import { ServiceProcess } from './service-process.js';

export interface DeploymentSize {
  readonly processes: number;
  /** Clients that order without a pause, each its next as soon as it has the last. */
  readonly clients: number;
}

/**
 * Processes of the order service behind a load balancer, under load from start to stop. Every
 * request must succeed, those during a restart too: as in production, a process is told to end once
 * nothing is sent to it any more.
 */
export class Deployment implements AsyncDisposable {
  /** Of all orders, as they came in. */
  readonly ids: string[] = [];
  readonly #cwd: string;
  readonly #processes: ServiceProcess[];
  readonly #underWay = new Map<ServiceProcess, number>();
  readonly #progress = new EventEmitter();
  readonly #clients: Promise<unknown>;
  #turn = 0;
  #stopped = false;

  private constructor(cwd: string, processes: ServiceProcess[], clients: number) {
    this.#cwd = cwd;
    this.#processes = processes;
    this.#clients = Promise.all(Array.from({ length: clients }, () => this.#keepOrdering()));
    this.#clients.catch((error) => this.#progress.emit('error', error));
    // Whoever waits for progress gets the failure; otherwise `stop` does.
    this.#progress.on('error', () => undefined);
  }

  static async start(cwd: string, { processes, clients }: DeploymentSize): Promise<Deployment> {
    const started = Array.from({ length: processes }, () => ServiceProcess.start(cwd));
    return new Deployment(cwd, await Promise.all(started), clients);
  }

  /** Resolves when that many more orders were served. */
  async served(count: number): Promise<void> {
    const goal = this.ids.length + count;
    while (this.ids.length < goal) await once(this.#progress, 'order');
  }

  /**
   * Replaces the processes one after the other, each with one that reads the config file
   * anew, while the others serve.
   */
  async restartInTurn(): Promise<void> {
    for (const service of [...this.#processes]) {
      this.#processes.splice(this.#processes.indexOf(service), 1);
      while ((this.#underWay.get(service) ?? 0) > 0) await once(this.#progress, 'order');
      await service.terminate();
      const [code, signal] = await service.exit();
      if (code !== 0) throw new Error(`a service ended with ${code ?? signal}`);
      this.#processes.push(await ServiceProcess.start(this.#cwd));
    }
  }

  /** Ends the load; rejects when a request failed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#clients;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await Promise.allSettled([this.#clients]);
    await Promise.all(this.#processes.map((service) => service[Symbol.asyncDispose]()));
  }

  async #keepOrdering(): Promise<void> {
    while (!this.#stopped) {
      const service = this.#processes[this.#turn++ % this.#processes.length];
      if (service === undefined) throw new Error('no process is left to order from');
      this.#count(service, 1);
      const response = await fetch(`${service.origin}/orders`, { method: 'POST' });
      const body = (await response.json()) as { readonly id: string };
      if (response.status !== 201) throw new Error(`${response.status} ${JSON.stringify(body)}`);
      this.ids.push(body.id);
      this.#count(service, -1);
      this.#progress.emit('order');
    }
  }

  #count(service: ServiceProcess, change: 1 | -1): void {
    this.#underWay.set(service, (this.#underWay.get(service) ?? 0) + change);
  }
}
