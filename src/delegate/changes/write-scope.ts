import { isAbsolute, posix, relative } from 'node:path';

/** Where a job may write: paths and globs below the working folder. A folder includes everything in it. */
export type WriteScope = readonly string[];

const protectedFolders = new Set(['.git', '.codex', '.agents']);

/** Normalizes a path or glob, or explains why it is invalid. */
export function parseWritePath(written: string, cwd: string): { path: string } | { problem: string } {
  const invalid = (problem: string) => ({ problem: `${JSON.stringify(written)} ${problem}` });
  const trimmed = written.trim();
  if (trimmed === '') return invalid('is not a path');
  if (/[\\\p{Cc}]/u.test(trimmed)) return invalid('contains a backslash or a control character');
  if (/^[~!]/.test(trimmed)) return invalid('must not start with ~ or !');
  const below = isAbsolute(trimmed) ? relative(cwd, trimmed) || '.' : trimmed;
  if (isAbsolute(below)) return invalid('lies outside the working folder');
  const segments = posix.normalize(below.replace(/\/+$/, '')).split('/');
  if (segments.includes('..') || below.split('/').includes('..'))
    return invalid('lies outside the working folder');
  const protectedFolder = segments.find((segment) => protectedFolders.has(segment.toLowerCase()));
  if (protectedFolder !== undefined) return invalid(`is in ${protectedFolder}, where no job may write`);
  return { path: segments.join('/') === '.' ? '**' : segments.join('/') };
}

/** True if two jobs may write the same file. Errs on the side of true; an empty scope means any file. */
export function scopesOverlap(one: WriteScope, other: WriteScope): boolean {
  if (one.length === 0 || other.length === 0) return true;
  return one.some((path) => other.some((otherPath) => pathsOverlap(path.split('/'), otherPath.split('/'))));
}

function pathsOverlap(
  [head, ...rest]: readonly string[],
  [otherHead, ...otherRest]: readonly string[],
): boolean {
  if (head === undefined || otherHead === undefined) return true;
  if (head === '**')
    return pathsOverlap(rest, [otherHead, ...otherRest]) || pathsOverlap([head, ...rest], otherRest);
  if (otherHead === '**') return pathsOverlap([otherHead, ...otherRest], [head, ...rest]);
  return segmentsOverlap(head, otherHead) && pathsOverlap(rest, otherRest);
}

/** Compares only the literal text at both ends of the segments, so it may report an overlap that does not exist. */
function segmentsOverlap(one: string, other: string): boolean {
  const [first, second] = [literalEnds(one), literalEnds(other)];
  if (first === undefined && second === undefined) return one.toLowerCase() === other.toLowerCase();
  const [a, b] = [first ?? literalSegment(one), second ?? literalSegment(other)];
  const starts = a.start.startsWith(b.start) || b.start.startsWith(a.start);
  return starts && (a.end.endsWith(b.end) || b.end.endsWith(a.end));
}

function literalEnds(segment: string): { start: string; end: string } | undefined {
  const from = segment.search(/[*?[{(+@!]/);
  if (from < 0) return undefined;
  return { start: segment.slice(0, from).toLowerCase(), end: /[^*?\]})]*$/.exec(segment)![0].toLowerCase() };
}

function literalSegment(segment: string): { start: string; end: string } {
  return { start: segment.toLowerCase(), end: segment.toLowerCase() };
}
