// How `changeset version` writes a changelog: for readers of releases, who need no hashes of commits, and one
// line for all dependencies. A package whose first release this is has nothing to say about them.
module.exports = {
  getReleaseLine: async ({ summary }) => `- ${summary.trim().replaceAll('\n', '\n  ')}`,
  getDependencyReleaseLine: async (_, dependencies) => {
    const updated = dependencies.filter(({ oldVersion }) => oldVersion !== '0.0.0');
    if (updated.length === 0) return '';
    return `- Updated: ${updated.map(({ name, newVersion }) => `${name} ${newVersion}`).join(', ')}`;
  },
};
