import type { BenchCase, CaseEnvironment, Preparable, Subject } from '../cases/case.js';

/**
 * What a worker can be asked to do. It imports `module` and finds the job there under `name`, so a worker
 * loads only what its own job needs.
 */
export interface Job<Request, Answer> {
  readonly module: string;
  readonly name: string;
  /** In the worker: opens everything. All workers of a group start `run` together once all have opened. */
  open(request: Request, subject: SubjectRef | undefined): Promise<OpenJob<Answer>>;
}

interface OpenJob<Answer> {
  run(): Promise<Answer>;
  close?(): Promise<void>;
}

/** The case that a worker opens for its job. */
export interface SubjectRef {
  readonly casesUrl: string;
  readonly name: string;
  readonly environment: CaseEnvironment;
}

/** A job that calls one case. The module exports it as `name`. */
export function caseJob<Request, Answer>(
  module: string,
  name: string,
  run: (subject: Subject, benchCase: BenchCase, request: Request) => Promise<Answer>,
): Job<Request, Answer> {
  return {
    module,
    name,
    async open(request, ref) {
      const [benchCase, environment] = await findCase<BenchCase>('cases', ref);
      const subject = await benchCase.open(environment);
      await subject.ready?.();
      return { run: () => run(subject, benchCase, request), close: () => subject.close() };
    },
  };
}

/** The case that `ref` names, in what its module exports as `list`. */
export async function findCase<C extends Preparable>(
  list: string,
  ref: SubjectRef | undefined,
): Promise<[C, CaseEnvironment]> {
  if (ref === undefined) throw new Error('the job needs a case');
  const module = (await import(ref.casesUrl)) as Readonly<Record<string, readonly C[]>>;
  const found = module[list]?.find(({ name }) => name === ref.name);
  if (found === undefined) throw new Error(`${list} of ${ref.casesUrl}: there is no "${ref.name}"`);
  return [found, ref.environment];
}

/** The first message to a worker; the second is `go`, once all workers of a group are ready. */
export interface Assignment {
  readonly module: string;
  readonly name: string;
  readonly request: unknown;
  readonly subject: SubjectRef | undefined;
}

export type ToWorker = Assignment | 'go';

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly answer: unknown }
  | { readonly type: 'failed'; readonly invalid: boolean; readonly message: string };
