// Runs in each runtime that loads modules: one program after the other. Prints `{ name: problem }`, with ''
// for those that ran to their end.
const outcomes = {};
for (const name of process.argv.slice(2)) {
  try {
    const { default: run } = await import(`./${name}.mjs`);
    await run();
    outcomes[name] = '';
  } catch (error) {
    outcomes[name] = String(error?.stack ?? error);
  }
}
console.log(JSON.stringify(outcomes));
process.exit(0);
