import {
  type InsertStmt,
  type JoinExpr,
  type LockingClause,
  type Node,
  parseSync,
  type RangeFunction,
  type RangeVar,
  type SelectStmt,
} from 'libpg-query';
import { compileExpression, type Expression } from './expression.js';
import { type Columns, notSimulated, type Scope, type Session, type Value } from './scope.js';
import { nameOf } from './statement.js';

/** What a statement of several tables reads and writes. */
export interface Relations {
  readonly values: readonly unknown[];
  readonly session: Session;
  /** The rows that a query sees. */
  read(table: string): readonly Columns[];
  /** Whether another transaction has locked a row. */
  isLocked(row: Columns): boolean;
  /** Write a row of a table; `undefined` if an inserted one exists already. */
  update(table: string, row: Columns, changes: Columns): Columns;
  insert(table: string, row: Columns): Columns | undefined;
  remove(table: string, row: Columns): void;
}

/** One row of a FROM clause: by alias, the row of each relation; null where an outer join found none. */
type Joined = ReadonlyMap<string, Columns | null>;

/** A statement with its CTEs, each of which is evaluated once, in their order. */
export class RelationalStatement {
  readonly #relations: Relations;
  readonly #ctes = new Map<string, readonly Columns[]>();
  readonly #pending: { readonly name: string; readonly query: Node }[];
  readonly #select: SelectStmt;

  /** Throws a `SyntaxError` for what is not simulated. */
  constructor(text: string, relations: Relations) {
    this.#relations = relations;
    this.#select = parsed(text);
    this.#pending = (this.#select.withClause?.ctes ?? []).map((node) => {
      const cte = 'CommonTableExpr' in node ? node.CommonTableExpr : undefined;
      if (cte?.ctequery === undefined) throw notSimulated('a WITH of this kind');
      return { name: cte.ctename ?? '', query: cte.ctequery };
    });
  }

  /** Evaluates the CTEs before the first one that locks rows: what a statement sees before it waits. */
  evaluateSnapshot(): void {
    while (this.#pending[0] !== undefined && !locksRows(this.#pending[0].query)) this.#evaluateNext();
  }

  /** The rows of a CTE that was evaluated. */
  cte(name: string): readonly Columns[] {
    return this.#ctes.get(name) ?? [];
  }

  /** Whether it waits for locked rows, unlike with SKIP LOCKED. */
  get waitsForLocks(): boolean {
    return this.#pending.some(({ query }) => locksRows(query) && !skipsLocked(query));
  }

  /** Evaluates the rest. */
  run(): Columns[] {
    while (this.#pending.length > 0) this.#evaluateNext();
    return this.#rowsOf(this.#select);
  }

  #evaluateNext(): void {
    const { name, query } = this.#pending.shift() as { name: string; query: Node };
    this.#ctes.set(name, this.#evaluate(query, name));
  }

  #evaluate(query: Node, name: string): readonly Columns[] {
    if ('SelectStmt' in query) return this.#rowsOf(query.SelectStmt, name);
    if ('UpdateStmt' in query) {
      const { relation, fromClause, whereClause, targetList, returningList } = {
        ...query.UpdateStmt,
        returningList: query.UpdateStmt.returningClause?.exprs,
      };
      return this.#matching(relation, fromClause, whereClause).map(({ table, alias, before, row }) => {
        const after = this.#relations.update(table, before, this.#targets(targetList, row));
        return this.#targets(returningList, new Map([...row, [alias, after]]));
      });
    }
    if ('InsertStmt' in query) {
      return this.#insert(query.InsertStmt);
    }
    if ('DeleteStmt' in query) {
      const { relation, usingClause, whereClause, returningClause } = query.DeleteStmt;
      return this.#matching(relation, usingClause, whereClause).map(({ table, before, row }) => {
        this.#relations.remove(table, before);
        return this.#targets(returningClause?.exprs, row);
      });
    }
    throw notSimulated('a CTE of this kind');
  }

  /** The rows of a table that an UPDATE or a DELETE is about, each joined with those of its FROM or USING. */
  #matching(relation: RangeVar | undefined, from: readonly Node[] | undefined, where: Node | undefined) {
    const [table = '', alias = table] = [relation?.relname, relation?.alias?.aliasname];
    return this.#from([...(from ?? []), { RangeVar: { ...relation } } as Node])
      .filter((row) => compiled(where)(this.#scope(row)) === true)
      .map((row) => {
        const before = row.get(alias);
        if (before === undefined || before === null) throw notSimulated('a change of no row');
        return { table, alias, before, row };
      });
  }

  #insert({ relation, cols, selectStmt, returningClause, onConflictClause }: InsertStmt): readonly Columns[] {
    if (selectStmt === undefined || !('SelectStmt' in selectStmt))
      throw notSimulated('an INSERT of this kind');
    const [table = '', alias = table] = [relation?.relname, relation?.alias?.aliasname];
    const { action, infer, targetList } = onConflictClause ?? {};
    const unique = (infer?.indexElems ?? []).map((node) =>
      'IndexElem' in node ? (node.IndexElem.name ?? '') : '',
    );
    const write = (row: Columns): Columns | undefined => {
      const inserted = this.#relations.insert(table, row);
      if (inserted !== undefined || action !== 'ONCONFLICT_UPDATE') return inserted;
      const before = this.#relations
        .read(table)
        .find((other) => unique.every((name) => other[name] === row[name]));
      if (before === undefined) throw notSimulated('a conflict with no row');
      const both = new Map([
        [alias, before],
        ['excluded', row],
      ]);
      return this.#relations.update(table, before, this.#targets(targetList, both));
    };
    return this.#rowsOf(selectStmt.SelectStmt, '', (cols ?? []).map(nameOf)).flatMap((row) => {
      const written = write(row);
      return written === undefined
        ? []
        : [this.#targets(returningClause?.exprs, new Map([[alias, written]]))];
    });
  }

  /** `names` in place of those of the columns. */
  #rowsOf(select: SelectStmt, otherwise = '', names?: readonly string[], outer?: Scope): Columns[] {
    const { fromClause, whereClause, targetList, sortClause, limitCount, lockingClause } = select;
    let rows = this.#from(fromClause ?? [], outer).filter(
      (row) => whereClause === undefined || compiled(whereClause)(this.#scope(row, outer)) === true,
    );
    const [locking] = lockingClause ?? [];
    if (locking && 'LockingClause' in locking && locking.LockingClause.waitPolicy === 'LockWaitSkip') {
      const locked = locking.LockingClause.lockedRels?.map((one) =>
        'RangeVar' in one ? one.RangeVar.relname : '',
      );
      rows = rows.filter((row) => !locked?.some((alias) => this.#isLocked(row.get(alias ?? ''))));
    }
    const [sort] = sortClause ?? [];
    if (sort && 'SortBy' in sort) {
      const key = compiled(sort.SortBy.node);
      const at = new Map(rows.map((row) => [row, String(key(this.#scope(row, outer)))]));
      rows = rows.toSorted((a, b) => ((at.get(a) ?? '') < (at.get(b) ?? '') ? -1 : 1));
    }
    if (isCount(targetList)) return [{ count: rows.length }];
    const most = limitCount === undefined ? null : compiled(limitCount)(this.#scope(new Map(), outer));
    return (most === null ? rows : rows.slice(0, Number(most))).map((row) =>
      this.#targets(targetList, row, otherwise, names, outer),
    );
  }

  #isLocked(row: Columns | null | undefined): boolean {
    return row !== null && row !== undefined && this.#relations.isLocked(row);
  }

  #from(nodes: readonly Node[], outer?: Scope): Joined[] {
    let rows: Joined[] = [new Map()];
    for (const node of nodes) {
      // LATERAL is evaluated again for each row of those before it.
      const lateral = 'RangeSubselect' in node && node.RangeSubselect.lateral === true;
      const same = lateral ? [] : this.#relation(node, outer);
      rows = rows.flatMap((row) => {
        const more = lateral ? this.#relation(node, this.#scope(row, outer)) : same;
        return more.map((other) => new Map([...row, ...other]));
      });
    }
    return rows;
  }

  #relation(node: Node, outer?: Scope): Joined[] {
    if ('RangeVar' in node) {
      const { relname = '', alias } = node.RangeVar;
      const rows = this.#ctes.get(relname) ?? this.#relations.read(relname);
      return rows.map((row) => new Map([[alias?.aliasname ?? relname, row]]));
    }
    if ('JoinExpr' in node) return this.#join(node.JoinExpr, outer);
    if ('RangeFunction' in node) return this.#unnest(node.RangeFunction);
    if ('RangeSubselect' in node) {
      const { subquery, alias } = node.RangeSubselect;
      if (subquery === undefined || !('SelectStmt' in subquery)) throw notSimulated('a FROM of this kind');
      const rows = this.#rowsOf(subquery.SelectStmt, '', undefined, outer);
      return rows.map((row) => new Map([[alias?.aliasname ?? '', row]]));
    }
    throw notSimulated('a FROM of this kind');
  }

  #join({ larg, rarg, jointype, quals, usingClause }: JoinExpr, outer?: Scope): Joined[] {
    if (larg === undefined || rarg === undefined) throw notSimulated('a JOIN of this kind');
    const right = this.#relation(rarg, outer);
    const using = usingClause?.map((name) => ('String' in name ? (name.String.sval ?? '') : '')) ?? [];
    const nothing: Joined = new Map([[aliasOf(rarg), null]]);
    return this.#relation(larg, outer).flatMap((row) => {
      const found = right
        .map((other): Joined => new Map([...row, ...other]))
        .filter((both, i) =>
          usingClause === undefined
            ? compiled(quals)(this.#scope(both, outer)) === true
            : using.every((name) => {
                const [a, b] = [row, right[i] ?? nothing].map((one) => this.#scope(one).column(name));
                return a !== null && a === b;
              }),
        );
      return found.length === 0 && jointype === 'JOIN_LEFT' ? [new Map([...row, ...nothing])] : found;
    });
  }

  /** `unnest(arrays) WITH ORDINALITY AS alias(columns)`; each array may be a subquery. */
  #unnest({ functions, alias }: RangeFunction): Joined[] {
    const [list] = functions ?? [];
    const [call] = list && 'List' in list ? (list.List.items ?? []) : [];
    if (call === undefined || !('FuncCall' in call)) throw notSimulated('a function in FROM');
    const arrays = (call.FuncCall.args ?? []).map((arg) => {
      const subselect = 'SubLink' in arg ? arg.SubLink.subselect : undefined;
      const [target] = subselect && 'SelectStmt' in subselect ? (subselect.SelectStmt.targetList ?? []) : [];
      const cast = target && 'ResTarget' in target && target.ResTarget.val ? target.ResTarget.val : arg;
      const param = 'TypeCast' in cast ? cast.TypeCast.arg : undefined;
      return compiled(param)(this.#scope(new Map())) as unknown as readonly Value[];
    });
    const names = (alias?.colnames ?? []).map((name) => ('String' in name ? (name.String.sval ?? '') : ''));
    return Array.from({ length: arrays[0]?.length ?? 0 }, (_, i) => {
      const values = [...arrays.map((array) => array[i] ?? null), i + 1];
      const row = Object.fromEntries(names.map((name, place) => [name, values[place] ?? null]));
      return new Map([[alias?.aliasname ?? '', row]]);
    });
  }

  #targets(
    nodes: readonly Node[] | undefined,
    row: Joined,
    otherwise = '',
    names?: readonly string[],
    outer?: Scope,
  ): Columns {
    const scope = this.#scope(row, outer);
    return Object.fromEntries(
      (nodes ?? []).map((node, i) => {
        if (!('ResTarget' in node)) throw notSimulated('a column of this kind');
        const name = names?.[i] ?? (nameOf(node) || otherwise);
        return [name, compiled(node.ResTarget.val)(scope)];
      }),
    );
  }

  #scope(row: Joined, outer?: Scope): Scope {
    const { values, session } = this.#relations;
    const scope: Scope = {
      values,
      session,
      before: () => null,
      column: (name, relation) => {
        if (relation !== undefined) {
          const columns = row.get(relation);
          if (columns === undefined && outer !== undefined) return outer.column(name, relation);
          if (columns === undefined) throw notSimulated(`the relation ${relation}`);
          return columns?.[name] ?? null;
        }
        for (const columns of row.values())
          if (columns !== null && name in columns) return columns[name] ?? null;
        if (outer !== undefined) return outer.column(name);
        // Of a relation for which an outer join found no row.
        if ([...row.values()].includes(null)) return null;
        throw notSimulated(`the column ${name}`);
      },
      query: (select) => this.#rowsOf(select, '', undefined, scope),
    };
    return scope;
  }
}

const statements = new Map<string, SelectStmt>();

function parsed(text: string): SelectStmt {
  let statement = statements.get(text);
  if (statement === undefined) {
    const node = parseSync(text).stmts?.[0]?.stmt;
    if (node === undefined || !('SelectStmt' in node)) throw notSimulated(`the statement ${text}`);
    statement = node.SelectStmt;
    statements.set(text, statement);
  }
  return statement;
}

const expressions = new WeakMap<Node, Expression>();

function compiled(node: Node | undefined): Expression {
  if (node === undefined) return () => null;
  let expression = expressions.get(node);
  if (expression === undefined) {
    expression = compileExpression(node);
    expressions.set(node, expression);
  }
  return expression;
}

/** `SELECT count(*)`, the only aggregate. */
function isCount(targets: readonly Node[] | undefined): boolean {
  const [target] = targets ?? [];
  const value = target && 'ResTarget' in target ? target.ResTarget.val : undefined;
  return value !== undefined && 'FuncCall' in value && value.FuncCall.agg_star === true;
}

function locksRows(query: Node): boolean {
  return 'SelectStmt' in query ? lockingOf(query.SelectStmt) !== undefined : true;
}

function skipsLocked(query: Node): boolean {
  const locking = 'SelectStmt' in query ? lockingOf(query.SelectStmt) : undefined;
  // What writes locks rows that were locked before, and nobody else locks the row of a family.
  return (
    locking === undefined || locking.waitPolicy === 'LockWaitSkip' || locking.strength === 'LCS_FORSHARE'
  );
}

/** The locking clause of a query, or of a subquery in its FROM. */
function lockingOf({ lockingClause, fromClause }: SelectStmt): LockingClause | undefined {
  const [locking] = lockingClause ?? [];
  if (locking && 'LockingClause' in locking) return locking.LockingClause;
  for (const node of fromClause ?? []) {
    const subquery = 'RangeSubselect' in node ? node.RangeSubselect.subquery : undefined;
    const nested = subquery && 'SelectStmt' in subquery ? lockingOf(subquery.SelectStmt) : undefined;
    if (nested !== undefined) return nested;
  }
  return undefined;
}

function aliasOf(node: Node): string {
  if (!('RangeVar' in node)) throw notSimulated('a JOIN of this kind');
  return node.RangeVar.alias?.aliasname ?? node.RangeVar.relname ?? '';
}
