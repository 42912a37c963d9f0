import { isObject } from '../../json.ts';
import { FieldProblem } from './prompt-fields.ts';

/** One test of a prompt: its arguments, and checks on the rendered text and on the answer of a model. */
export interface PromptTest extends TextChecks {
  readonly name?: string;
  /** Why the test cannot run, such as a misspelled field. Such a test fails; its prompt is served. */
  readonly invalid?: string;
  readonly arguments?: Readonly<Record<string, string>>;
  /** Part of the expected error. The prompt must not render. */
  readonly fails?: string;
  /** Checks on the answer of a model. They are skipped if no model is configured. */
  readonly answer?: TextChecks & {
    /** JSON Schema of the answer, which must be JSON. */
    readonly schema?: Readonly<Record<string, unknown>>;
    /** What a good answer is, judged by the model. */
    readonly rubric?: string;
  };
}

export interface TextChecks {
  readonly equals?: string;
  readonly contains?: readonly string[];
  readonly not_contains?: readonly string[];
  /** Regular expressions. */
  readonly matches?: readonly string[];
  readonly max_tokens?: number;
  readonly min_tokens?: number;
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
