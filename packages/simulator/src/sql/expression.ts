import type { A_Const, A_Expr, BoolExpr, CaseExpr, Node, SelectStmt, TypeCast } from 'libpg-query';
import { type Columns, callFunction, notSimulated, type Scope, type Value } from './scope.js';

export type Expression = (scope: Scope) => Value;

/**
 * Compiles the expressions that the statements of the segment table use; throws a `SyntaxError` for any
 * other. Numbers are doubles: `max_id` ends at 2^53 and larger values are refused before they are compared,
 * so rounding changes no answer.
 */
export function compileExpression(node: Node | undefined): Expression {
  if (node === undefined) return () => null;
  if ('A_Const' in node) return constant(node.A_Const);
  if ('ParamRef' in node) {
    const place = (node.ParamRef.number ?? 0) - 1;
    return ({ values }) => (values[place] ?? null) as Value;
  }
  if ('ColumnRef' in node) {
    const { fields } = node.ColumnRef;
    const name = lastName(fields);
    const relation = fields !== undefined && fields.length > 1 ? lastName(fields.slice(0, -1)) : undefined;
    return (scope) => scope.column(name, relation);
  }
  if ('TypeCast' in node) return cast(node.TypeCast);
  if ('A_Expr' in node) return operation(node.A_Expr);
  if ('BoolExpr' in node) return logic(node.BoolExpr);
  if ('CaseExpr' in node) return choice(node.CaseExpr);
  if ('NullTest' in node) {
    const arg = compileExpression(node.NullTest.arg);
    const isNull = node.NullTest.nulltesttype === 'IS_NULL';
    return (scope) => (arg(scope) === null) === isNull;
  }
  if ('BooleanTest' in node && node.BooleanTest.booltesttype === 'IS_NOT_TRUE') {
    const arg = compileExpression(node.BooleanTest.arg);
    return (scope) => arg(scope) !== true;
  }
  if ('CoalesceExpr' in node) {
    const args = all(node.CoalesceExpr.args);
    return (scope) => {
      for (const arg of args) {
        const value = arg(scope);
        if (value !== null) return value;
      }
      return null;
    };
  }
  if ('MinMaxExpr' in node) {
    const args = all(node.MinMaxExpr.args);
    const pick = node.MinMaxExpr.op === 'IS_LEAST' ? Math.min : Math.max;
    return (scope) => {
      const known = args.map((arg) => arg(scope)).filter((value) => value !== null);
      return known.length === 0 ? null : pick(...known.map(Number));
    };
  }
  if ('FuncCall' in node) {
    const name = lastName(node.FuncCall.funcname);
    const args = all(node.FuncCall.args);
    return (scope) =>
      callFunction(
        name,
        args.map((arg) => arg(scope)),
        scope,
      );
  }
  if ('SubLink' in node && node.SubLink.subselect && 'SelectStmt' in node.SubLink.subselect) {
    const { subLinkType, testexpr, subselect } = node.SubLink;
    if (subLinkType === 'EXISTS_SUBLINK') return (scope) => rowsOf(subselect.SelectStmt, scope).length > 0;
    if (subLinkType === 'ANY_SUBLINK') {
      const tested = compileExpression(testexpr);
      return (scope) => {
        const value = tested(scope);
        return rowsOf(subselect.SelectStmt, scope).some((row) => Object.values(row)[0] === value);
      };
    }
    return subquery(node.SubLink.subselect.SelectStmt);
  }
  throw notSimulated(Object.keys(node).join());
}

function rowsOf(select: SelectStmt, scope: Scope): readonly Columns[] {
  if (scope.query === undefined) throw notSimulated('a subquery of this kind');
  return scope.query(select);
}

export function lastName(names: readonly Node[] | undefined): string {
  const last = names?.at(-1);
  if (last === undefined || !('String' in last)) throw notSimulated('a name of this kind');
  return last.String.sval ?? '';
}

function all(nodes: readonly Node[] | undefined): Expression[] {
  return (nodes ?? []).map(compileExpression);
}

function constant({ isnull, ival, fval, sval, boolval }: A_Const): Expression {
  // The parser omits zeros, empty strings and false.
  const value: Value = isnull
    ? null
    : ival
      ? (ival.ival ?? 0)
      : fval
        ? Number(fval.fval)
        : boolval
          ? (boolval.boolval ?? false)
          : (sval?.sval ?? '');
  return () => value;
}

const MILLISECONDS: Readonly<Record<string, number>> = { millisecond: 1, minute: 60_000 };

function cast({ arg, typeName }: TypeCast): Expression {
  const value = compileExpression(arg);
  const type = lastName(typeName?.names);
  const to = {
    int4: Number,
    float8: Number,
    // Bits are kept as Postgres reads them: an x and hexadecimal digits.
    int8: (from: Value) => Number(String(from).replace(/^x/, '0x')),
    bit: String,
    text: String,
    interval: (text: Value) => {
      const [, count, unit = ''] = /^(\d+) ([a-z]+?)s?$/.exec(String(text)) ?? [];
      const ms = MILLISECONDS[unit];
      if (ms === undefined) throw notSimulated(`the interval ${text}`);
      return Number(count) * ms;
    },
  }[type];
  if (to === undefined) throw notSimulated(`the type ${type}`);
  return (scope) => {
    const given = value(scope);
    return given === null ? null : to(given);
  };
}

const OPERATORS: Readonly<Record<string, (a: Value, b: Value) => Value>> = {
  '+': (a, b) => Number(a) + Number(b),
  '||': (a, b) => `${a}${b}`,
  '-': (a, b) => Number(a) - Number(b),
  '*': (a, b) => Number(a) * Number(b),
  '/': (a, b) => Number(a) / Number(b),
  '%': (a, b) => Number(a) % Number(b),
  '~': (a, b) => new RegExp(String(b)).test(String(a)),
  '=': (a, b) => a === b,
  '<>': (a, b) => a !== b,
  '<': (a, b) => Number(a) < Number(b),
  '<=': (a, b) => Number(a) <= Number(b),
  // Numbers, or timelines in digits of one length.
  '>': (a, b) => (typeof a === 'string' ? a > String(b) : Number(a) > Number(b)),
};

const nullIf = (a: Value, b: Value) => (a === b ? null : a);

function operation({ name, lexpr, rexpr, kind }: A_Expr): Expression {
  const symbol = lastName(name);
  if (kind === 'AEXPR_DISTINCT') {
    const [one, other] = [compileExpression(lexpr), compileExpression(rexpr)];
    return (scope) => one(scope) !== other(scope);
  }
  const operator = kind === 'AEXPR_NULLIF' ? nullIf : kind === 'AEXPR_OP' ? OPERATORS[symbol] : undefined;
  if (operator === undefined) throw notSimulated(`the operator ${symbol}`);
  const [left, right] = [compileExpression(lexpr), compileExpression(rexpr)];
  return (scope) => {
    const [a, b] = [left(scope), right(scope)];
    return a === null || b === null ? null : operator(a, b);
  };
}

/** In three-valued logic, null means unknown. */
function logic({ boolop, args }: BoolExpr): Expression {
  const [first, ...rest] = all(args);
  if (first === undefined) throw notSimulated(`${boolop} of nothing`);
  if (boolop === 'NOT_EXPR') {
    return (scope) => {
      const value = first(scope);
      return value === null ? null : !value;
    };
  }
  const decisive = boolop === 'OR_EXPR';
  return (scope) => {
    let unknown = false;
    for (const arg of [first, ...rest]) {
      const value = arg(scope);
      if (value === decisive) return decisive;
      if (value === null) unknown = true;
    }
    return unknown ? null : !decisive;
  };
}

function choice({ arg, args, defresult }: CaseExpr): Expression {
  const subject = arg === undefined ? undefined : compileExpression(arg);
  const otherwise = compileExpression(defresult);
  const cases = (args ?? []).map((one) => {
    if (!('CaseWhen' in one)) throw notSimulated('a CASE of this kind');
    return { when: compileExpression(one.CaseWhen.expr), result: compileExpression(one.CaseWhen.result) };
  });
  return (scope) => {
    const value = subject?.(scope);
    for (const { when, result } of cases) {
      const found = when(scope);
      if (subject === undefined ? found === true : value !== null && found === value) return result(scope);
    }
    return otherwise(scope);
  };
}

/** The oid of the one database. */
const DATABASE_ID = 16_384;

/**
 * One column of the row that a function returns, of the row that the statement changes, or the oid of the
 * database. Other subqueries are about the end of a group: null in a sequence without groups.
 */
function subquery({ targetList, fromClause }: SelectStmt): Expression {
  const [from] = fromClause ?? [];
  const [target] = targetList ?? [];
  if (from && 'RangeFunction' in from && target && 'ResTarget' in target && target.ResTarget.val) {
    const [list] = from.RangeFunction.functions ?? [];
    const [call] = list && 'List' in list ? (list.List.items ?? []) : [];
    if (call && 'FuncCall' in call && 'ColumnRef' in target.ResTarget.val) {
      const column = lastName(target.ResTarget.val.ColumnRef.fields);
      const name = `${lastName(call.FuncCall.funcname)}.${column}`;
      return (scope) => callFunction(name, [], scope);
    }
  }
  if (from && 'RangeVar' in from && target && 'ResTarget' in target && target.ResTarget.val) {
    const { relname } = from.RangeVar;
    if (relname === 'pg_database') return () => DATABASE_ID;
    if ('ColumnRef' in target.ResTarget.val) {
      const column = lastName(target.ResTarget.val.ColumnRef.fields);
      return (scope) => scope.before(column);
    }
  }
  return (scope) => {
    if (scope.column('group_by') === null) return null;
    throw notSimulated('groups');
  };
}
