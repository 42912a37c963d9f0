import { isObject } from '../json.ts';
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

export function parseArguments(value: unknown): readonly ArgumentDefinition[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new FieldProblem('arguments must be a list');
  const parsed = value.map(parseArgument);
  if (parsed.length < 2) return parsed;
  const repeated = parsed.find(({ name }, index) => parsed.findIndex((other) => other.name === name) < index);
  if (repeated !== undefined) throw new FieldProblem(`the argument ${repeated.name} is declared twice`);
  return parsed;
}

function parseArgument(value: unknown, index: number): ArgumentDefinition {
  const where = `argument ${index + 1}`;
  if (!isObject(value)) throw new FieldProblem(`${where} must have a name`);
  const { name, description, required, default: usual, values, files } = value;
  if (typeof name !== 'string' || name === '') throw new FieldProblem(`${where} must have a name`);
  if (required !== undefined && typeof required !== 'boolean')
    throw new FieldProblem(`${where}: required must be true or false`);
  if (files !== undefined && typeof files !== 'boolean')
    throw new FieldProblem(`${where}: files must be true or false`);
  if (values !== undefined && (!Array.isArray(values) || values.some((one) => typeof one !== 'string')))
    throw new FieldProblem(`${where}: values must be a list of texts`);
  const [text, standing] = [parseText(description, `${where}: description`), usual];
  if (standing !== undefined && typeof standing !== 'string')
    throw new FieldProblem(`${where}: default must be text`);
  return {
    name,
    ...(text !== undefined && { description: text }),
    ...(required !== undefined && { required }),
    ...(standing !== undefined && { default: standing }),
    ...(values !== undefined && { values: values as string[] }),
    ...(files && { files }),
  };
}
