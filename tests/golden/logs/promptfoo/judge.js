// Stands in for a judge: its answer follows from the length of the prompt.
module.exports = class {
  id() { return 'local-judge'; }
  async callApi(prompt) {
    if (prompt.includes('Parcel') && prompt.startsWith('You')) return { error: 'rate limit' };
    return { output: ['urgent', 'soon', 'later'][prompt.length % 3] };
  }
};
