/**
 * Settings that hold until the statement's own commit, whatever the role, the database or a pooler set. With
 * `synchronous_commit` off, a crash of the server loses reservations whose ids were already issued; with
 * `client_min_messages` above `warning`, the server does not report that a commit might not have been
 * replicated.
 */
export const SETTINGS = ['synchronous_commit = on', 'client_min_messages = warning']
  .map((setting) => setting.split(' = '))
  .map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', true)`)
  .join(', ');
