// One colour per action, the same everywhere; names stand beside it, so colour alone says nothing.

const HUES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#7a5195", "#6b6b6b"];
const known = new Map();

export function learnColours(actions) {
  actions.forEach((action) => colour(action));
}

export function colour(action) {
  if (!known.has(action)) known.set(action, HUES[known.size % HUES.length]);
  return known.get(action);
}
