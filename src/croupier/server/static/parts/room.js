// The room there is: whether a screen is small, and whether two games have their place side by side.

const small = matchMedia("(max-width: 699px), (max-height: 539px)");
const upright = matchMedia("(orientation: portrait)");
const wide = matchMedia("(min-width: 1000px) and (min-height: 540px)");

export const isSmall = () => small.matches;
export const isWide = () => wide.matches;
export const isUpright = () => upright.matches;

/** Hear of every change. @param {() => void} changed @returns {() => void} stops it */
export function onRoom(changed) {
  const all = [small, wide, upright];
  for (const one of all) one.addEventListener("change", changed);
  return () => all.forEach((one) => one.removeEventListener("change", changed));
}
