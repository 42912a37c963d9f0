import { NotExpressible } from './format.ts';

/** Letters, digits, `_`, `-`, `.` and spaces, and nothing a file system would take for something else. */
const plainPart = /^(?![. ])[\p{L}\p{M}\p{N}_. -]{1,100}(?<![. ])$/u;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** The name of the prompt in a file: `git/commit.toml` is `git:commit`. */
export function nameOfPath(path: string, extension: string): string {
  return path.slice(0, -extension.length).replaceAll('/', ':');
}

/** The path for a prompt's name, below the folder and nowhere else. Given `warn`, there are no folders in it. */
export function pathOfName(name: string, extension: string, warn?: (message: string) => void): string {
  const parts = name.split(':');
  if (parts.some((part) => !plainPart.test(part) || reserved.test(part)))
    throw new NotExpressible('the name cannot be the name of a file');
  if (warn === undefined || parts.length === 1) return `${parts.join('/')}${extension}`;
  warn(`the name becomes ${parts.join('-')}`);
  return `${parts.join('-')}${extension}`;
}
