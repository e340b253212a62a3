module.exports = class {
  id() { return 'local-grader'; }
  async callApi(prompt) {
    const score = (prompt.length % 5) / 4;
    return { output: JSON.stringify({ pass: score >= 0.5, score, reason: 'by length' }) };
  }
};
