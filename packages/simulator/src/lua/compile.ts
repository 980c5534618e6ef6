import { type Expression, type FunctionDeclaration, type Identifier, parse, type Statement } from 'luaparse';
import { type LuaTable, type LuaValue, operators } from './values.js';

/** A compiled chunk. It can run any number of times, with the given globals. */
export type Chunk = (globals: LuaTable) => LuaValue | LuaValue[];

/**
 * Compiles Lua 5.1 to JavaScript. Throws a `SyntaxError` for invalid Lua. Coroutines and metatables are not
 * supported.
 */
export function compile(text: string): Chunk {
  const { body } = parse(text, { luaVersion: '5.1', encodingMode: 'pseudo-latin1' });
  const code = new Compiler().function([], false, body as Statement[]);
  const names = Object.keys(operators);
  const make = new Function('$op', `const { ${names.join(', ')} } = $op; return (G) => (${code})();`);
  return make(operators) as Chunk;
}

const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'mod',
  '^': 'pow',
};

/**
 * Turns a syntax tree into JavaScript. Each local gets a unique name, since Lua may declare a name twice in a
 * block.
 */
class Compiler {
  #scope: Map<string, string>[] = [];
  #temporaries: string[] = [];
  #names = 0;

  function(parameters: FunctionDeclaration['parameters'], self: boolean, body: readonly Statement[]): string {
    const outer = this.#temporaries;
    this.#temporaries = [];
    this.#scope.push(new Map());
    const names = self ? [this.#declare('self')] : [];
    for (const parameter of parameters) {
      names.push(parameter.type === 'VarargLiteral' ? '...$varargs' : this.#declare(parameter.name));
    }
    const code = this.#statements(body);
    this.#scope.pop();
    const locals = this.#temporaries.length === 0 ? '' : `let ${this.#temporaries.join(', ')};`;
    this.#temporaries = outer;
    return `(${names.join(', ')}) => { ${locals} ${code} }`;
  }

  #declare(name: string): string {
    const unique = `${name}$${++this.#names}`;
    this.#scope.at(-1)?.set(name, unique);
    return unique;
  }

  #temporary(): string {
    const name = `$${++this.#names}`;
    this.#temporaries.push(name);
    return name;
  }

  #lookUp(name: string): string | undefined {
    for (let i = this.#scope.length - 1; i >= 0; i--) {
      const found = this.#scope[i]?.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #block(body: readonly Statement[]): string {
    this.#scope.push(new Map());
    const code = this.#statements(body);
    this.#scope.pop();
    return `{ ${code} }`;
  }

  #statements(body: readonly Statement[]): string {
    return body.map((statement) => this.#statement(statement)).join('\n');
  }

  #statement(node: Statement): string {
    switch (node.type) {
      case 'LocalStatement': {
        const values = this.#spread(node.init, node.variables.length);
        return node.variables.map(({ name }, i) => `let ${this.#declare(name)} = ${values[i]};`).join(' ');
      }
      case 'AssignmentStatement': {
        const values = this.#spread(node.init, node.variables.length);
        const [only, value] = [node.variables[0], values[0]];
        if (node.variables.length === 1 && only !== undefined) return this.#assign(only, String(value));
        const held = values.map((code) => `(${this.#temporary()} = ${code})`);
        const assigned = node.variables.map((target, i) =>
          this.#assign(target, /\$\d+/.exec(held[i] ?? '')?.[0] ?? 'undefined'),
        );
        return `${held.join('; ')}; ${assigned.join(' ')}`;
      }
      case 'CallStatement':
        return `${this.#call(node.expression)};`;
      case 'ReturnStatement':
        return `return ${this.#returned(node.arguments)};`;
      case 'BreakStatement':
        return 'break;';
      case 'DoStatement':
        return this.#block(node.body);
      case 'IfStatement':
        return node.clauses
          .map((clause) =>
            clause.type === 'ElseClause'
              ? this.#block(clause.body)
              : `if (${this.#test(clause.condition)}) ${this.#block(clause.body)}`,
          )
          .join(' else ');
      case 'WhileStatement':
        return `while (${this.#test(node.condition)}) ${this.#block(node.body)}`;
      case 'RepeatStatement': {
        this.#scope.push(new Map());
        const code = `for (;;) { ${this.#statements(node.body)} if (${this.#test(node.condition)}) break; }`;
        this.#scope.pop();
        return code;
      }
      case 'ForNumericStatement': {
        const [start, end, step] = [node.start, node.end, node.step].map((part) =>
          part === null || part === undefined ? '1' : `add(${this.#value(part)}, 0)`,
        );
        this.#scope.push(new Map());
        const [i, to, by] = [1, 2, 3].map(() => `$${++this.#names}`);
        const name = this.#declare(node.variable.name);
        const body = this.#statements(node.body);
        this.#scope.pop();
        return `for (let ${i} = ${start}, ${to} = ${end}, ${by} = ${step}; ${by} > 0 ? ${i} <= ${to} : ${i} >= ${to}; ${i} += ${by}) { let ${name} = ${i}; ${body} }`;
      }
      case 'ForGenericStatement': {
        const [next, state, control] = this.#spread(node.iterators, 3);
        const [f, s, c, got] = [1, 2, 3, 4].map(() => `$${++this.#names}`);
        this.#scope.push(new Map());
        const names = node.variables.map(({ name }) => this.#declare(name));
        const body = this.#statements(node.body);
        this.#scope.pop();
        const declared = names.map((name, i) => `let ${name} = ${got}[${i}];`).join(' ');
        return `for (let ${f} = callable(${next}), ${s} = ${state}, ${c} = ${control};;) { const ${got} = all(${f}(${s}, ${c})); ${declared} if (${names[0]} === undefined) break; ${c} = ${names[0]}; ${body} }`;
      }
      case 'FunctionDeclaration': {
        if (node.identifier === null) throw new SyntaxError('a function without a name is no statement');
        if (node.identifier.type === 'Identifier' && node.isLocal) {
          const name = this.#declare(node.identifier.name);
          return `let ${name} = ${this.function(node.parameters, false, node.body)};`;
        }
        const self = node.identifier.type === 'MemberExpression' && node.identifier.indexer === ':';
        return this.#assign(node.identifier, this.function(node.parameters, self, node.body));
      }
      default:
        throw new SyntaxError(`no Lua 5.1: ${node.type}`);
    }
  }

  #assign(target: Expression, value: string): string {
    if (target.type === 'Identifier') {
      const local = this.#lookUp(target.name);
      return local === undefined
        ? `G.set(${JSON.stringify(target.name)}, ${value});`
        : `${local} = ${value};`;
    }
    if (target.type === 'MemberExpression') {
      return `setIndex(${this.#value(target.base)}, ${JSON.stringify(target.identifier.name)}, ${value});`;
    }
    if (target.type === 'IndexExpression') {
      return `setIndex(${this.#value(target.base)}, ${this.#value(target.index)}, ${value});`;
    }
    throw new SyntaxError(`cannot assign to ${target.type}`);
  }

  /** Expressions for exactly `count` values from a list whose last element may return several. */
  #spread(list: readonly Expression[], count: number): string[] {
    const last = list.at(-1);
    const values = list.slice(0, -1).map((node) => this.#value(node));
    if (last !== undefined && isMulti(last) && count > list.length) {
      const rest = this.#temporary();
      values.push(`(${rest} = ${this.#many(last)})[0]`);
      for (let i = 1; values.length < count; i++) values.push(`${rest}[${i}]`);
    } else if (last !== undefined) values.push(this.#value(last));
    while (values.length < count) values.push('undefined');
    return values;
  }

  #returned(list: readonly Expression[]): string {
    const [only] = list;
    if (only === undefined) return 'undefined';
    if (list.length > 1) return `[${this.#list(list)}]`;
    if (only.type === 'VarargLiteral') return '$varargs';
    return isMulti(only) ? this.#call(only) : `one(${this.#value(only)})`;
  }

  /** The elements of an array or the arguments of a call. */
  #list(list: readonly Expression[]): string {
    return list
      .map((node, i) =>
        i === list.length - 1 && isMulti(node) ? `...${this.#many(node)}` : this.#value(node),
      )
      .join(', ');
  }

  #many(node: Expression): string {
    return node.type === 'VarargLiteral' ? '$varargs' : `all(${this.#call(node)})`;
  }

  #call(node: Expression): string {
    switch (node.type) {
      case 'CallExpression': {
        const { base } = node;
        if (base.type === 'MemberExpression' && base.indexer === ':')
          return this.#method(base, node.arguments);
        return `callable(${this.#value(base)})(${this.#list(node.arguments)})`;
      }
      case 'StringCallExpression':
        return `callable(${this.#value(node.base)})(${this.#value(node.argument)})`;
      case 'TableCallExpression':
        return `callable(${this.#value(node.base)})(${this.#value(node.arguments)})`;
      default:
        throw new SyntaxError(`cannot call ${node.type}`);
    }
  }

  #method(base: { base: Expression; identifier: Identifier }, args: readonly Expression[]): string {
    const self = this.#temporary();
    const name = JSON.stringify(base.identifier.name);
    const rest = args.length === 0 ? '' : `, ${this.#list(args)}`;
    return `callable(index(typeof (${self} = ${this.#value(base.base)}) === 'string' ? G.get('string') : ${self}, ${name}))(${self}${rest})`;
  }

  #test(node: Expression): string {
    if (node.type === 'BinaryExpression' && /^([<>]=?|[=~]=)$/.test(node.operator)) return this.#value(node);
    if (node.type === 'UnaryExpression' && node.operator === 'not') return this.#value(node);
    if (node.type === 'LogicalExpression') {
      const operator = node.operator === 'and' ? '&&' : '||';
      return `(${this.#test(node.left)} ${operator} ${this.#test(node.right)})`;
    }
    const held = this.#temporary();
    return `((${held} = ${this.#value(node)}) !== undefined && ${held} !== false)`;
  }

  /** An expression for exactly one value. */
  #value(node: Expression): string {
    switch (node.type) {
      case 'NilLiteral':
        return 'undefined';
      case 'BooleanLiteral':
      case 'NumericLiteral':
        return String(node.value);
      case 'StringLiteral':
        return JSON.stringify(node.value);
      case 'VarargLiteral':
        return '$varargs[0]';
      case 'Identifier':
        return this.#lookUp(node.name) ?? `G.get(${JSON.stringify(node.name)})`;
      case 'MemberExpression':
        return `index(${this.#value(node.base)}, ${JSON.stringify(node.identifier.name)})`;
      case 'IndexExpression':
        return `index(${this.#value(node.base)}, ${this.#value(node.index)})`;
      case 'FunctionDeclaration':
        return `(${this.function(node.parameters, false, node.body)})`;
      case 'LogicalExpression': {
        const held = this.#temporary();
        const left = `(${held} = ${this.#value(node.left)}) !== undefined && ${held} !== false`;
        return node.operator === 'and'
          ? `(${left} ? ${this.#value(node.right)} : ${held})`
          : `(${left} ? ${held} : ${this.#value(node.right)})`;
      }
      case 'UnaryExpression':
        if (node.operator === 'not') return `!${this.#test(node.argument)}`;
        return `${node.operator === '#' ? 'len' : 'unm'}(${this.#value(node.argument)})`;
      case 'BinaryExpression':
        return this.#binary(node.operator, this.#value(node.left), this.#value(node.right));
      case 'TableConstructorExpression': {
        const items: Expression[] = [];
        const pairs: string[] = [];
        for (const field of node.fields) {
          if (field.type === 'TableValue') items.push(field.value);
          else {
            const key =
              field.type === 'TableKeyString' ? JSON.stringify(field.key.name) : this.#value(field.key);
            pairs.push(key, this.#value(field.value));
          }
        }
        return `table([${pairs.join(', ')}], [${this.#list(items)}])`;
      }
      default:
        return `first(${this.#call(node)})`;
    }
  }

  #binary(operator: string, left: string, right: string): string {
    const arithmetic = ARITHMETIC[operator];
    if (arithmetic !== undefined) return `${arithmetic}(${left}, ${right})`;
    switch (operator) {
      case '==':
        return `(${left} === ${right})`;
      case '~=':
        return `(${left} !== ${right})`;
      case '<':
        return `lt(${left}, ${right})`;
      case '<=':
        return `le(${left}, ${right})`;
      // Operands keep their order, so that they are evaluated from left to right.
      case '>':
        return `gt(${left}, ${right})`;
      case '>=':
        return `ge(${left}, ${right})`;
      case '..':
        return `concat(${left}, ${right})`;
      default:
        throw new SyntaxError(`no Lua 5.1: ${operator}`);
    }
  }
}

/** Whether it may return any other number of values than one. */
function isMulti(node: Expression): boolean {
  return /^(String|Table)?CallExpression$/.test(node.type) || node.type === 'VarargLiteral';
}
