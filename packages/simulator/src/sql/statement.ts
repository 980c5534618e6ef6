import { loadModule, type Node, parseSync, type SelectStmt, type UpdateStmt } from 'libpg-query';
import { compileExpression, type Expression, lastName } from './expression.js';
import { notSimulated } from './scope.js';

// The parser of Postgres itself, compiled to WebAssembly.
await loadModule();

interface Target {
  readonly name: string;
  readonly value: Expression;
}

/** Each CTE has one row; a column without a name has that of the CTE. */
type Ctes = readonly Target[];

export type Statement =
  | {
      readonly kind: 'update';
      readonly ctes: Ctes;
      readonly set: readonly Target[];
      readonly where: Expression;
      readonly returning: readonly Target[];
    }
  /** Reads one row of the table, or nulls if there is none. */
  | {
      readonly kind: 'select';
      readonly ctes: Ctes;
      readonly targets: readonly Target[];
      readonly on: Expression;
    }
  /** Evaluates expressions, without a table. */
  | { readonly kind: 'values'; readonly targets: readonly Target[] }
  /** Queries the catalogue; the names of the columns say what it returns. */
  | { readonly kind: 'facts'; readonly columns: readonly string[] };

const compiled = new Map<string, Statement>();

/** Compiles a statement of the segment table. Throws a `SyntaxError` for any other. */
export function statementOf(text: string): Statement {
  let statement = compiled.get(text);
  if (statement === undefined) {
    statement = compile(text);
    compiled.set(text, statement);
  }
  return statement;
}

function compile(text: string): Statement {
  const [parsed, ...more] = parseSync(text).stmts ?? [];
  const node = parsed?.stmt;
  if (node !== undefined && more.length === 0) {
    if ('UpdateStmt' in node) return update(node.UpdateStmt);
    if ('SelectStmt' in node) return select(node.SelectStmt);
  }
  throw notSimulated(`the statement ${text}`);
}

function update({ withClause, targetList, whereClause, returningClause }: UpdateStmt): Statement {
  return {
    kind: 'update',
    ctes: ctesOf(withClause?.ctes),
    set: targetsOf(targetList),
    where: compileExpression(whereClause),
    returning: targetsOf(returningClause?.exprs),
  };
}

function select({ withClause, targetList, fromClause }: SelectStmt): Statement {
  const [from] = fromClause ?? [];
  if (withClause === undefined && from === undefined) {
    return { kind: 'values', targets: targetsOf(targetList) };
  }
  if (withClause === undefined) return { kind: 'facts', columns: (targetList ?? []).map(nameOf) };
  if (from === undefined || !('JoinExpr' in from)) throw notSimulated('a SELECT of this kind');
  return {
    kind: 'select',
    ctes: ctesOf(withClause.ctes),
    targets: targetsOf(targetList),
    on: compileExpression(from.JoinExpr.quals),
  };
}

function ctesOf(ctes: readonly Node[] | undefined): Ctes {
  return (ctes ?? []).flatMap((node) => {
    const query = 'CommonTableExpr' in node ? node.CommonTableExpr : undefined;
    if (query?.ctequery === undefined || !('SelectStmt' in query.ctequery)) {
      throw notSimulated('a WITH of this kind');
    }
    return targetsOf(query.ctequery.SelectStmt.targetList, query.ctename);
  });
}

function targetsOf(nodes: readonly Node[] | undefined, otherwise?: string): Target[] {
  return (nodes ?? []).map((node) => {
    if (!('ResTarget' in node)) throw notSimulated('a column of this kind');
    return { name: nameOf(node) || (otherwise ?? ''), value: compileExpression(node.ResTarget.val) };
  });
}

/** The name that Postgres gives a column. */
export function nameOf(node: Node): string {
  if (!('ResTarget' in node)) throw notSimulated('a column of this kind');
  const { name, val } = node.ResTarget;
  if (name !== undefined) return name;
  if (val && 'ColumnRef' in val) return lastName(val.ColumnRef.fields);
  return '';
}
