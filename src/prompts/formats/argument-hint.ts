import type { ArgumentDefinition } from '../definition/definition.ts';
import { FileProblem } from '../files/front-matter.ts';

/** The hint as written; YAML makes a list of `[one]`. */
export function hintOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value)) return value.map((item) => `[${String(item)}]`).join(' ');
  if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
  throw new FileProblem('argument-hint must be text', 2);
}

/** The names in `<file> [priority]`, where the hint is nothing but such names. */
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
