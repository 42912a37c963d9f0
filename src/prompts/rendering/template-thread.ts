import { ThreadLimit } from '../../threads/work-threads.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { TemplateSet } from '../definition/source.ts';
import { areLong, runInThread } from '../files/work-thread.ts';
import { Jinja } from '../jinja/jinja.ts';
import { TemplateError } from '../jinja/template-error.ts';
import { freeVariables } from '../template/variables.ts';

/** Limits for the thread that answers requests. Slower templates are left to a thread. */
export const shortLimits = { milliseconds: 40 };

interface TemplateWork {
  readonly sources: ReadonlyMap<string, string>;
  /** The template to render with these arguments. Without it, the templates are only compiled. */
  readonly name?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

type TemplateAnswer =
  | { readonly text: string }
  | Pick<TemplateError, 'template' | 'message' | 'line' | 'column'>;

/** Compiles and renders templates in a thread. Throws TemplateError like the engine. */
export async function renderInThread(work: TemplateWork): Promise<string> {
  const answer = (await threadFor('templates', work, work.name)) as TemplateAnswer;
  if ('text' in answer) return answer.text;
  throw new TemplateError(answer.template, answer.message, answer.line, answer.column);
}

/** Throws TemplateError if the template is invalid. `jinja` has the short limits. */
export async function checkSyntax(jinja: Jinja, name: string, source: string): Promise<void> {
  try {
    if (!areLong([source])) return jinja.set(name, source);
  } catch (error) {
    if (!(error instanceof TemplateError && error.isSlow)) throw error;
  }
  await renderInThread({ sources: new Map([[name, source]]) });
}

/** The work of the thread. Errors are results, because they would lose their class. */
export function runTemplates({ sources, name, args = {} }: TemplateWork): TemplateAnswer {
  const jinja = new Jinja();
  try {
    for (const [template, source] of sources) jinja.set(template, source);
    return { text: name === undefined ? '' : jinja.render(name, args) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { template, message, line, column } = error;
    return { template, message, line, column };
  } finally {
    jinja.close();
  }
}

export interface UnknownVariable {
  readonly name: string;
  readonly template: string;
  readonly line: number;
}

interface VariableCheck extends Pick<TemplateSet, 'names' | 'sources'> {
  readonly declared: ReadonlySet<string>;
}

/** The first variable that is neither set nor declared as an argument. Long templates are searched in a thread. */
export async function unknownVariable(
  { arguments: declared }: PromptDefinition,
  { names, sources }: TemplateSet,
): Promise<UnknownVariable | undefined> {
  const check = { names, sources, declared: new Set(declared.map(({ name }) => name)) };
  if (!areLong(sources.values())) return firstUnknown(check);
  return (await threadFor('unknown', check, names[0])) as UnknownVariable | undefined;
}

export function firstUnknown({ names, sources, declared }: VariableCheck): UnknownVariable | undefined {
  for (const template of names) {
    const found = freeVariables(sources.get(template) ?? '', (name) => sources.get(name)).find(
      ({ name, called, guarded }) => !called && !guarded && !declared.has(name),
    );
    if (found !== undefined) return { template, ...found };
  }
  return undefined;
}

async function threadFor(task: string, input: unknown, template = ''): Promise<unknown> {
  try {
    return await runInThread(task, input);
  } catch (error) {
    if (!(error instanceof ThreadLimit)) throw error;
    throw new TemplateError(template, `the template could not be processed: ${error.message}`);
  }
}
