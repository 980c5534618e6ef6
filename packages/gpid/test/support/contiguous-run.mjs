/**
 * An exact check for duplicates in bounded memory: takes ids one by one and holds that all have one prefix
 * and that their numbers are 1, 2, 3 and so on. Ids with different prefixes differ, because a prefix ends at
 * the only slash; so when every thread's ids pass and no two threads have one prefix, no id came twice.
 */
export class ContiguousRun {
  /** @type {string | undefined} */
  prefix;
  count = 0;

  /** @param {string} id */
  add(id) {
    const end = id.indexOf('/') + 1;
    this.prefix ??= id.slice(0, end);
    this.count += 1;
    if (end === 0 || !id.startsWith(this.prefix) || id.slice(this.prefix.length) !== String(this.count)) {
      throw new Error(`id ${this.count} should be ${this.prefix}${this.count} and is ${id}`);
    }
  }
}

/**
 * @param {readonly string[]} prefixes
 * @returns {string[]} those that came more than once
 */
export function repeated(prefixes) {
  return prefixes.filter((prefix, index) => prefixes.indexOf(prefix) !== index);
}
