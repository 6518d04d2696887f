// Motion: whether this player asks for less of it.

const asked = matchMedia("(prefers-reduced-motion: reduce)");

export const isReduced = () => asked.matches;
