import { FileProblem, lineOfField } from '../../front-matter.ts';
import { isObject } from '../../json.ts';
import { nearest } from '../../nearest.ts';
import type {
  ArgumentDefinition,
  PromptDefinition,
  PromptTest,
  TemplateKind,
  TextChecks,
} from './definition.ts';

/** An invalid field. The message begins with the name of the field. */
export class FieldProblem extends Error {}

/** The problem on the line of its field. */
export function withLine({ message }: FieldProblem, text: string): FileProblem {
  const field = /^[\w-]+(?= must )/.exec(message)?.[0] ?? 'arguments';
  return new FileProblem(message, lineOfField(text, field));
}

/** The fields that a file of our own formats can have. */
const ownFields = ['title', 'description', 'arguments', 'tags', 'template', 'messages', 'tests'];

/** Unknown fields that are nearly like a field that is missing, with their lines if they are fields of this text. */
export function misspelledFields(
  fields: Readonly<Record<string, unknown>>,
  text?: string,
): Pick<PromptDefinition, 'misspelled'> {
  const missing = ownFields.filter((name) => !Object.hasOwn(fields, name));
  const misspelled = Object.keys(fields)
    .slice(0, maxFields)
    .flatMap((name) => {
      const meant = ownFields.includes(name) ? undefined : nearest(name, missing, name.length < 6 ? 1 : 2);
      if (meant === undefined) return [];
      return [
        text === undefined ? ([name, meant] as const) : ([name, meant, lineOfField(text, name)] as const),
      ];
    });
  return misspelled.length === 0 ? {} : { misspelled };
}

/** Hostile front matter can have thousands of fields. */
const maxFields = 50;

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

const checkFields = ['equals', 'contains', 'not_contains', 'matches', 'max_tokens', 'min_tokens'] as const;

/** Parses the field `tests`. A mistake in a test makes that test invalid, not the prompt. */
export function parseTests(value: unknown): readonly PromptTest[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) return [{ invalid: 'tests must be a list' }];
  return value.map((test: unknown) => {
    try {
      return parseTest(test);
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error;
      const name = isObject(test) ? test['name'] : undefined;
      return { ...(typeof name === 'string' && { name }), invalid: error.message };
    }
  });
}

/** The name that results show for a test at this index. */
export function testName({ name }: PromptTest, index: number): string {
  return name ?? `test ${index + 1}`;
}

function parseTest(test: unknown): PromptTest {
  if (!isObject(test)) throw new FieldProblem('a test must have fields such as contains');
  assertKnown(test, ['name', 'arguments', 'fails', 'answer', ...checkFields], '');
  const { name, arguments: args, fails, answer } = test;
  for (const [field, text] of [
    ['name', name],
    ['fails', fails],
  ] as const)
    if (text !== undefined && typeof text !== 'string') throw new FieldProblem(`${field} must be text`);
  if (args !== undefined && !isObject(args)) throw new FieldProblem('arguments must be a table');
  if (answer !== undefined && !isObject(answer)) throw new FieldProblem('answer must be a table');
  const checks = parseChecks(test, '');
  if (fails === undefined && answer === undefined && isEmpty(checks))
    throw new FieldProblem(`the test checks nothing; add ${checkFields.join(', ')}, fails or answer`);
  return {
    ...(name !== undefined && { name: name as string }),
    ...(fails !== undefined && { fails: fails as string }),
    ...(args !== undefined && {
      arguments: Object.fromEntries(Object.entries(args).map(([key, given]) => [key, String(given)])),
    }),
    ...checks,
    ...(answer !== undefined && { answer: parseAnswer(answer) }),
  };
}

function parseAnswer(answer: Readonly<Record<string, unknown>>): PromptTest['answer'] & {} {
  assertKnown(answer, ['schema', 'rubric', ...checkFields], 'answer: ');
  const { schema, rubric } = answer;
  if (schema !== undefined && !isObject(schema))
    throw new FieldProblem('answer: schema must be a JSON Schema');
  if (rubric !== undefined && typeof rubric !== 'string')
    throw new FieldProblem('answer: rubric must be text');
  const checks = parseChecks(answer, 'answer: ');
  if (schema === undefined && rubric === undefined && isEmpty(checks))
    throw new FieldProblem(`answer checks nothing; add ${checkFields.join(', ')}, schema or rubric`);
  return {
    ...checks,
    ...(schema !== undefined && { schema }),
    ...(rubric !== undefined && { rubric }),
  };
}

/** `where` precedes the name of a field in messages. */
function parseChecks(fields: Readonly<Record<string, unknown>>, where: string): TextChecks {
  const checks: Record<string, unknown> = {};
  for (const field of checkFields) {
    const value = fields[field];
    if (value === undefined) continue;
    if (field === 'max_tokens' || field === 'min_tokens') {
      if (!Number.isInteger(value)) throw new FieldProblem(`${where}${field} must be a whole number`);
      checks[field] = value;
    } else if (field === 'equals') {
      if (typeof value !== 'string') throw new FieldProblem(`${where}equals must be text`);
      checks[field] = value;
    } else checks[field] = parseTexts(value, `${where}${field}`, field === 'matches');
  }
  return checks;
}

/** Whether a test without other checks would always pass. */
function isEmpty(checks: TextChecks): boolean {
  return Object.values(checks).every((check) => Array.isArray(check) && check.length === 0);
}

/** A text or a list of texts. */
function parseTexts(value: unknown, where: string, isPattern: boolean): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const text of texts) {
    if (typeof text !== 'string') throw new FieldProblem(`${where} must be text or a list of texts`);
    if (isPattern && !isRegularExpression(text))
      throw new FieldProblem(`${where}: ${text} is not a regular expression`);
  }
  return texts as readonly string[];
}

function isRegularExpression(text: string): boolean {
  try {
    return new RegExp(text, 'u') !== undefined;
  } catch {
    return false;
  }
}

function assertKnown(
  fields: Readonly<Record<string, unknown>>,
  known: readonly string[],
  where: string,
): void {
  const unknown = Object.keys(fields).find((field) => !known.includes(field));
  if (unknown !== undefined)
    throw new FieldProblem(`${where}unknown field ${unknown}; use ${known.join(', ')}`);
}
