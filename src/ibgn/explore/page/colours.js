// One colour per name, the same everywhere; names stand beside it, so colour alone says nothing.

const HUES = [
  "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#7a5195", "#808a93",
  "#c23b4b", "#5a8f00", "#2f8fa3", "#a66a3f", "#5b6ee1", "#d98ab3", "#8a8f3c", "#b05cc0",
];

class Palette {
  known = new Map();

  learn(names) {
    names.forEach((name) => this.of(name));
  }

  of(name) {
    if (!this.known.has(name)) this.known.set(name, HUES[this.known.size % HUES.length]);
    return this.known.get(name);
  }
}

export const actions = new Palette();
export const activities = new Palette();
