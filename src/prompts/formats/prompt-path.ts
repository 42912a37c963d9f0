import { NotExpressible } from './format.ts';

/** Letters, digits, `_`, `-`, `.` and spaces; no dot or space at either end. */
const plainPart = /^(?![. ])[\p{L}\p{M}\p{N}_. -]{1,100}(?<![. ])$/u;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** Returns the name of the prompt in a file: `git/commit.toml` becomes `git:commit`. */
export function nameFromPath(path: string, extension: string): string {
  return path.slice(0, -extension.length).replaceAll('/', ':');
}

/**
 * Returns the path for a prompt's name, which never leaves the folder. With `warn`, the path has no subfolders and the
 * change of name is reported. Throws NotExpressible.
 */
export function pathForName(name: string, extension: string, warn?: (message: string) => void): string {
  const parts = name.split(':');
  if (parts.some((part) => !plainPart.test(part) || reserved.test(part)))
    throw new NotExpressible('its name is not a valid file name');
  if (warn === undefined || parts.length === 1) return `${parts.join('/')}${extension}`;
  warn(`the name becomes ${parts.join('-')}`);
  return `${parts.join('-')}${extension}`;
}
