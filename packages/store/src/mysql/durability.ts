import { IdError } from '@ids/core';
import type { Row } from '../executor.js';
import { pendingChange } from '../pending-change.js';
import type { RowLoss, Skips } from '../skip.js';
import { NO_AUTOCOMMIT } from './errors.js';
import { changeIn } from './reign.js';

/**
 * The settings that decide whether an acknowledged commit survives a crash. They can be changed while the
 * server runs, so each reservation compares them with what they were when the facts were read.
 */
export const DURABILITY = `CONCAT_WS('/', @@GLOBAL.innodb_flush_log_at_trx_commit, @@GLOBAL.sync_binlog)`;

/** Variables and states of the server, by name in lower case; one that it does not have is missing. */
export type ServerFacts = ReadonlyMap<string, string>;

/** The statements that read them. They need no right, and an unknown name is no error. */
export const FACTS_STATEMENTS = [
  `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin',
  'binlog_format', 'read_only', 'super_read_only', 'innodb_read_only', 'rpl_semi_sync_master_enabled', 'rpl_semi_sync_source_enabled',
  'rpl_semi_sync_master_timeout', 'rpl_semi_sync_source_timeout', 'aurora_version')`,
  `SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_read_only', 'transaction_read_only', 'sql_log_bin')`,
  `SHOW GLOBAL STATUS WHERE Variable_name IN ('Slave_running', 'Slaves_running', 'Rpl_semi_sync_master_status',
  'Rpl_semi_sync_source_status')`,
];

export function readFacts(rows: readonly Row[]): ServerFacts {
  return new Map(rows.map((row) => [String(row.Variable_name).toLowerCase(), String(row.Value)]));
}

/** Reads whether the server is a replica. */
const REPLICA_STATEMENT = `SHOW GLOBAL STATUS WHERE Variable_name IN ('Slave_running', 'Slaves_running')`;

/**
 * Throws `ERR_IDS_CONFIG` on a replica, which may accept writes: a floor would be missing on its primary, and
 * a new table or row would stop the replication when the primary gets one. Read-only servers are left to
 * those who may write there. `about` is the table, for messages.
 */
export async function assertNoReplica(
  read: (text: string) => Promise<readonly Row[]>,
  about: string,
): Promise<void> {
  if (isReplica(readFacts(await read(REPLICA_STATEMENT)))) throw unusable(about, REPLICA);
}

/** Reads whether the server is one of several that accept writes at the same time. */
export const PRIMARIES_STATEMENT = `SHOW GLOBAL VARIABLES WHERE Variable_name IN ('wsrep_on',
  'group_replication_group_name', 'group_replication_single_primary_mode')`;

/**
 * Throws `ERR_IDS_CONFIG` on one of several primaries. Each of them commits by itself, and only then learns
 * that another one has reserved the same ids; and the next statement may go to another one, which looks like
 * a failover. So it is checked before anything else on every connection, whatever that is for.
 */
export function assertOnePrimary(facts: ServerFacts): void {
  if (isOn(facts.get('wsrep_on'))) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'the server is a node of a Galera cluster, where every node accepts writes: use a server outside of it',
    );
  }
  if (
    facts.get('group_replication_group_name') &&
    !isOn(facts.get('group_replication_single_primary_mode'))
  ) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'the replication group of the server has several primaries: use its single-primary mode',
    );
  }
}

/**
 * Throws `ERR_IDS_CONFIG` if the store could lose reservations, or cannot make any. `about` is the table, for
 * messages.
 */
export function assertMysqlDurable(row: Row, facts: ServerFacts, about: string): void {
  const fault = faultOf(row, facts);
  if (fault === undefined) return;
  throw unusable(about, fault);
}

function unusable(about: string, fault: string): IdError {
  return new IdError('ERR_IDS_CONFIG', `${about} cannot be used: ${fault}`);
}

const REPLICA = 'the server is a replica; connect to the primary';

/** Connections with names of their own are only in the number of them, which is of MariaDB. */
function isReplica(facts: ServerFacts): boolean {
  return isOn(facts.get('slave_running')) || isOn(facts.get('slaves_running'));
}

function faultOf(row: Row, facts: ServerFacts): string | undefined {
  const on = (name: string): boolean => isOn(facts.get(name));
  if (String(row.engine).toUpperCase() !== 'INNODB') {
    return `its engine is ${row.engine}, and only InnoDB commits; use ALTER TABLE ... ENGINE = InnoDB`;
  }
  if (row.here_table === null) return 'the server does not show CREATE_TIME in information_schema.TABLES';
  if (Number(row.autocommit) !== 1) return NO_AUTOCOMMIT;
  if (on('innodb_read_only') || on('super_read_only') || on('read_only')) {
    return 'the server is read-only; connect to the primary';
  }
  if (on('tx_read_only') || on('transaction_read_only')) {
    return 'transactions are read-only, by transaction_read_only (tx_read_only) of the server or init_connect';
  }
  if (isReplica(facts)) return REPLICA;
  const flush = facts.get('innodb_flush_log_at_trx_commit');
  // Aurora has no log on the server's own disk; its storage confirms commits.
  if (flush !== '1' && !facts.has('aurora_version')) {
    return `innodb_flush_log_at_trx_commit is ${flush}, so a crash loses reservations; set it to 1`;
  }
  if (!on('log_bin')) return undefined;
  if (!on('sql_log_bin')) return 'sql_log_bin is off for its connections, so replicas get no reservations';
  const sync = facts.get('sync_binlog');
  if (sync !== '1') {
    return `sync_binlog is ${sync}, so after a crash the server and its replicas may differ; set it to 1`;
  }
  if (facts.get('binlog_format')?.toUpperCase() === 'STATEMENT') {
    return 'binlog_format is STATEMENT, so replicas decide by their own clock and identity whether a reservation counts; set it to MIXED or ROW';
  }
  return undefined;
}

/** Values that turn a setting on are not the same everywhere: `read_only = NO_LOCK`, two replications. */
function isOn(value: string | undefined): boolean {
  return value !== undefined && !['OFF', '0', 'NO', ''].includes(value.toUpperCase());
}

/**
 * What a failover may lose. A client cannot know more: how far replicas lag is known to them alone, and no
 * answer says whether a replica confirmed this commit.
 */
function replicationOf(facts: ServerFacts): string {
  const semiSync = (what: string): string | undefined =>
    facts.get(`rpl_semi_sync_master_${what}`) ?? facts.get(`rpl_semi_sync_source_${what}`);
  if (!isOn(semiSync('enabled')))
    return 'replication is asynchronous, if there is any: a failover to a lagging replica';
  return isOn(semiSync('status'))
    ? `semi-synchronous replication falls back to asynchronous after ${semiSync('timeout')} ms without telling the client: a failover after that`
    : 'semi-synchronous replication has fallen back to asynchronous, since no replica confirmed in time: a failover now';
}

/** What the store is not set up to survive. */
export function replicationWarning(facts: ServerFacts): string {
  return `${replicationOf(facts)} loses reservations, and if that is more than is skipped after it, ids are issued again`;
}

/** The same for segments, and what the next reservation would do. */
export function mysqlWarnings(
  row: Row,
  facts: ServerFacts,
  about: string,
  skips: Skips,
  loss: RowLoss,
): string[] {
  const change = changeIn(row);
  const pending = change === undefined ? [] : [`${about}: ${pendingChange(change, skips, loss)}`];
  return [replicationWarning(facts), ...pending];
}
