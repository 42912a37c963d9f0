import { isObject } from '../../json.ts';
import type { ArgumentDefinition, TemplateKind } from './definition.ts';

/** An invalid field. The message begins with the name of the field. */
export class FieldProblem extends Error {}

const templateKinds: readonly TemplateKind[] = ['input', 'braces', 'jinja', 'none'];

export function parseText(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new FieldProblem(`${field} must be text`);
  return value.trim();
}

/** One array for all prompts without tags. */
const noTags: readonly string[] = [];

export function parseTags(value: unknown): readonly string[] {
  if (value === undefined || value === null) return noTags;
  if (!Array.isArray(value) || value.some((tag) => typeof tag !== 'string'))
    throw new FieldProblem('tags must be a list of strings');
  return value;
}

export function parseTemplateKind(value: unknown, defaultKind: TemplateKind): TemplateKind {
  if (value === undefined || value === null) return defaultKind;
  const kind = templateKinds.find((known) => known === value);
  if (kind === undefined) throw new FieldProblem(`template must be one of ${templateKinds.join(', ')}`);
  return kind;
}

/** Every list of prompts contains their arguments. */
export const maxArguments = 1_000;
export const tooManyArguments = `a prompt can have at most ${maxArguments} arguments`;

/** Returns the given array itself unless a field is null, to avoid copying large lists. */
export function parseArguments(value: unknown): readonly ArgumentDefinition[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new FieldProblem('arguments must be a list');
  if (value.length > maxArguments) throw new FieldProblem(tooManyArguments);
  value.forEach(assertArgument);
  const parsed: readonly ArgumentDefinition[] = value.some(hasEmptyField)
    ? value.map(withoutEmptyFields)
    : value;
  const names = new Set<string>();
  const repeated = parsed.find(({ name }) => names.size === names.add(name).size);
  if (repeated !== undefined) throw new FieldProblem(`the argument ${repeated.name} is declared twice`);
  return parsed;
}

const isText = (value: unknown) => typeof value === 'string';
const isFlag = (value: unknown) => typeof value === 'boolean';
const isTextList = (value: unknown) => Array.isArray(value) && value.every(isText);

const argumentFields: readonly (readonly [string, (value: unknown) => boolean, string])[] = [
  ['description', isText, 'text'],
  ['required', isFlag, 'true or false'],
  ['default', isText, 'text'],
  ['values', isTextList, 'a list of strings'],
  ['files', isFlag, 'true or false'],
];

function assertArgument(value: unknown, index: number): void {
  const where = `argument ${index + 1}`;
  if (!isObject(value) || !isText(value['name']) || value['name'] === '')
    throw new FieldProblem(`${where} must have a name`);
  for (const [field, isValid, expected] of argumentFields) {
    if (value[field] !== undefined && value[field] !== null && !isValid(value[field]))
      throw new FieldProblem(`${where}: ${field} must be ${expected}`);
  }
}

function hasEmptyField(argument: object): boolean {
  return Object.values(argument).includes(null);
}

function withoutEmptyFields(argument: object): ArgumentDefinition {
  return Object.fromEntries(
    Object.entries(argument).filter(([, value]) => value !== null),
  ) as unknown as ArgumentDefinition;
}
