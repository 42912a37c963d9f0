import { isObject } from '../../json.ts';
import type { ArgumentDefinition, TemplateKind } from './definition.ts';

/** What is wrong with a field, in words that follow its name. */
export class FieldProblem extends Error {}

const templateKinds: readonly TemplateKind[] = ['input', 'braces', 'jinja', 'none'];

export function parseText(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw new FieldProblem(`${field} must be text`);
  return value.trim();
}

export function parseTags(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.some((tag) => typeof tag !== 'string'))
    throw new FieldProblem('tags must be a list of texts');
  return value;
}

export function parseTemplateKind(value: unknown, usual: TemplateKind): TemplateKind {
  if (value === undefined || value === null) return usual;
  const kind = templateKinds.find((known) => known === value);
  if (kind === undefined) throw new FieldProblem(`template must be one of ${templateKinds.join(', ')}`);
  return kind;
}

/** Checked, and copied only where a field is empty: there may be very many. */
export function parseArguments(value: unknown): readonly ArgumentDefinition[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new FieldProblem('arguments must be a list');
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
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

const fieldsOfArgument: readonly (readonly [string, (value: unknown) => boolean, string])[] = [
  ['description', isText, 'text'],
  ['required', isFlag, 'true or false'],
  ['default', isText, 'text'],
  ['values', isTexts, 'a list of texts'],
  ['files', isFlag, 'true or false'],
];

function assertArgument(value: unknown, index: number): void {
  const where = `argument ${index + 1}`;
  if (!isObject(value) || !isText(value['name']) || value['name'] === '')
    throw new FieldProblem(`${where} must have a name`);
  for (const [field, isRight, meant] of fieldsOfArgument) {
    if (value[field] !== undefined && value[field] !== null && !isRight(value[field]))
      throw new FieldProblem(`${where}: ${field} must be ${meant}`);
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
