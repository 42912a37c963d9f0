import { FileProblem } from '../../front-matter.ts';
import type { ArgumentDefinition } from '../definition/definition.ts';

/** Returns the hint as text. YAML parses `[one]` as a list, so a list is printed back in brackets. */
export function parseHint(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.map((item) => `[${String(item)}]`).join(' ');
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  throw new FileProblem('argument-hint must be text', 2);
}

/** Returns the names in a hint such as `<file> [priority]`, or none if the hint contains anything else. */
export function namesInHint(hint: string | undefined): readonly string[] {
  if (hint === undefined || !/^\s*(?:(?:\[[\w -]+\]|<[\w -]+>)\s*)+$/.test(hint)) return [];
  const names = [...hint.matchAll(/[[<]([\w -]+)[\]>]/g)].map(([, name]) =>
    name!.trim().replaceAll(' ', '_'),
  );
  return new Set(names).size === names.length ? names : [];
}

export function printHint(declared: readonly ArgumentDefinition[]): string | undefined {
  if (declared.length === 0) return undefined;
  return declared.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(' ');
}
