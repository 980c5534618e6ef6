import { IdError } from '@ids/core';
import { assertIdBound, assertSequenceName, type SqlExecutor } from '@ids/store';
import { groupProblem, groupsDiffer } from '../groups/sequence-group.js';
import type { SequenceState } from '../segment-source.js';
import type {
  CreatedSequence,
  CreateSequenceOptions,
  Dialect,
  FloorOptions,
  NewSequence,
} from './dialect.js';
import { exactId, type Provenance, provenanceOf } from './grant-log.js';
import { DEFAULT_TABLE } from './wording.js';

/*
 * What is done to sequences, in one dialect, with what the caller gave checked. The entries for one database
 * and for all of them publish it, and say what it does.
 */

export async function createSequenceIn<Executor extends SqlExecutor>(
  dialect: Dialect<Executor>,
  executor: Executor,
  name: string,
  options: CreateSequenceOptions,
): Promise<CreatedSequence> {
  const created = await dialect.createSequence(executor, newSequence(name, options));
  const difference = groupsDiffer(name, created.group, options.group);
  if (difference !== undefined) throw difference;
  return created;
}

/** A sequence that is not yet created. Throws unless it can be. */
export function newSequence(
  name: string,
  { startAfter = 0, table = DEFAULT_TABLE, group }: CreateSequenceOptions,
): NewSequence {
  assertSequenceName(name);
  assertIdBound('startAfter', startAfter);
  const problem = group === undefined ? undefined : groupProblem(group);
  if (problem !== undefined) throw new IdError('ERR_IDS_CONFIG', `option "group": ${problem}`);
  return { table, name, startAfter, group };
}

export async function setFloorIn<Executor extends SqlExecutor>(
  dialect: Dialect<Executor>,
  executor: Executor,
  name: string,
  floor: number,
  { table = DEFAULT_TABLE, checked = false, follows }: FloorOptions,
): Promise<SequenceState> {
  assertSequenceName(name);
  assertIdBound('floor', floor);
  return dialect.setFloor(executor, table, name, { floor, checked, follows });
}

export async function whoIssuedIn<Executor extends SqlExecutor>(
  dialect: Dialect<Executor>,
  executor: Executor,
  name: string,
  id: number | bigint,
  table: string = DEFAULT_TABLE,
): Promise<Provenance> {
  assertSequenceName(name);
  const value = exactId(id);
  return provenanceOf(value, await dialect.grantsWith(executor, table, name, value));
}
