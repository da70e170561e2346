// The versions of hookrun that this package works with.

const OLDEST = [1, 0, 0];

/**
 * The fault of a version of hookrun, or undefined. A build from a clone, v0.0.0-… or (devel),
 * counts as new.
 */
export function versionError(version) {
  if (typeof version !== "string" || version === "") {
    return "this program is no hookrun: it gave no version; give the path of hookrun as the Gate's option binary";
  }
  const numbers = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (!numbers || numbers.every((n) => n === 0)) return undefined;
  const at = OLDEST.findIndex((n, i) => n !== numbers[i]);
  if (at < 0 || numbers[at] > OLDEST[at]) return undefined;
  return `hookrun ${version} is older than ${OLDEST.join(".")}, which this package needs: npm install hookrun`;
}
