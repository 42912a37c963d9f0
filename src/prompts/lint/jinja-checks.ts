import { basename, dirname, join } from 'node:path';
import type { Problem } from '../../feature.ts';
import { nearest } from '../../nearest.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { TemplateSet } from '../definition/source.ts';
import { Jinja } from '../jinja/jinja.ts';
import { TemplateError } from '../jinja/template-error.ts';
import { CompiledTemplates, type MessageTemplates } from '../rendering/template-set.ts';
import { unsupportedConstructs } from '../template/dialect.ts';
import { scanTemplate } from '../template/scanner.ts';
import { freeVariables, globalNames } from '../template/variables.ts';
import { type Finding, type LintTarget, problemAt } from './finding.ts';

/** Python methods that templates often use but the engine does not support. */
const missingMethods = new Set(
  `append casefold center clear copy encode expandtabs extend format index insert isdecimal isidentifier istitle ljust
  partition pop remove removeprefix removesuffix reverse rjust rpartition rsplit setdefault sort swapcase translate update
  zfill`.split(/\s+/),
);

/** Checks a prompt's Jinja templates and all templates that they include. */
export async function lintJinja({ definition, templates }: LintTarget): Promise<readonly Problem[]> {
  try {
    const set = await (templates?.() ?? compileAlone(definition));
    return lintSet(definition, set);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const compileError = problemIn(definition, error.template, {
      severity: 'error',
      message: error.message,
      ...(error.line !== undefined && { line: error.line }),
      ...(error.column !== undefined && { column: error.column }),
    });
    // Report the other problems of the prompt's own templates as well.
    const texts = new Map(ownTemplates(definition));
    const others = lintSet(definition, { names: [...texts.keys()], sourceOf: (name) => texts.get(name) });
    return [
      compileError,
      ...others.filter(({ line, column }) => line !== compileError.line || column !== compileError.column),
    ];
  }
}

type Sources = Pick<TemplateSet, 'names' | 'sourceOf'>;

async function compileAlone(definition: PromptDefinition): Promise<Sources> {
  const set = await CompiledTemplates.compile(ownTemplates(definition), {
    load: async () => undefined,
    names: () => [],
  });
  set.jinja.close();
  return set;
}

function ownTemplates({ messages, file }: PromptDefinition): MessageTemplates {
  return messages.flatMap(({ content }, index) =>
    content.type === 'text'
      ? [[index === 0 ? basename(file) : `${index + 1}.md`, content.text] as const]
      : [],
  );
}

function lintSet(definition: PromptDefinition, set: Sources): readonly Problem[] {
  const problems: Problem[] = [];
  const used = new Set<string>();
  let dynamic = false;
  const seen = new Set<string>();
  const visit = (template: string, source: string) => {
    if (seen.has(template)) return;
    seen.add(template);
    const report = (finding: Finding) => problems.push(problemIn(definition, template, finding));
    for (const construct of unsupportedConstructs(source)) report({ severity: 'error', ...construct });
    const { filters, tests, methods, imported, references } = scanTemplate(source);
    for (const { name, ...place } of filters)
      if (!vocabulary.has('filter', name))
        report({ severity: 'error', message: `unknown filter: ${name}`, ...place });
    for (const { name, ...place } of tests)
      if (!vocabulary.has('test', name))
        report({ severity: 'error', message: `unknown test: ${name}`, ...place });
    for (const { name, object, ...place } of methods)
      if (missingMethods.has(name) && !(object !== undefined && imported.has(object)))
        report({ severity: 'error', message: `unknown method: ${name}`, ...place });
    for (const { kind, name, optional, known: _, ...place } of references) {
      const found = name === undefined ? undefined : set.sourceOf(name);
      if (name === undefined) dynamic = true;
      else if (found !== undefined) visit(name, found);
      else if (!optional)
        report({ severity: 'error', message: `${kind}: template not found: ${name}`, ...place });
    }
  };
  for (const template of set.names) visit(template, set.sourceOf(template) ?? '');
  for (const template of set.names) {
    for (const use of freeVariables(set.sourceOf(template) ?? '', (name) => set.sourceOf(name))) {
      used.add(use.name);
      const finding = variableFinding(definition, use);
      if (finding !== undefined) problems.push(problemIn(definition, use.template ?? template, finding));
    }
  }
  if (!dynamic)
    for (const { name } of definition.arguments)
      if (!used.has(name))
        problems.push(
          problemIn(definition, set.names[0] ?? '', {
            severity: 'warning',
            message: `the argument ${name} is never used`,
          }),
        );
  return problems;
}

function variableFinding(
  { arguments: declared }: PromptDefinition,
  { name, called, guarded, line, column }: ReturnType<typeof freeVariables>[number],
): Finding | undefined {
  const names = declared.map((argument) => argument.name);
  const place = { line, column };
  if (called && !names.includes(name)) {
    const candidate = nearest(name, globalNames);
    return { severity: 'error', message: `unknown function: ${name}${suggestion(candidate)}`, ...place };
  }
  if (called)
    return { severity: 'error', message: `the argument ${name} is text and cannot be called`, ...place };
  if (names.includes(name)) return undefined;
  if (guarded)
    return {
      severity: 'warning',
      message: `${name} is never set: it is not declared as an argument`,
      ...place,
    };
  const literal =
    name === 'input' ? '; a library does not define {{input}}, so declare it as an argument' : '';
  return {
    severity: 'error',
    message: `undefined variable: ${name}${literal || suggestion(nearest(name, names))}`,
    ...place,
  };
}

function suggestion(candidate: string | undefined): string {
  return candidate === undefined ? '' : `; did you mean ${candidate}?`;
}

/** Converts a position in a template to a position in its file: the prompt's own file, the manifest, or a file of the library. */
function problemIn(definition: PromptDefinition, template: string, finding: Finding): Problem {
  if (template === '' || template === basename(definition.file) || definition.file.endsWith('.jsonl'))
    return problemAt(definition, finding);
  if (template.startsWith('twig.toml ')) {
    const { line: _, column: _column, ...rest } = finding;
    return { file: join(dirname(definition.file), '..', 'twig.toml'), ...rest };
  }
  return { file: join(dirname(definition.file), template), ...finding };
}

/** The filters and tests that the engine supports. Queries the engine itself, so no list has to be maintained. */
class Vocabulary {
  readonly #jinja = new Jinja();
  readonly #known = new Map<string, boolean>();

  has(kind: 'filter' | 'test', name: string): boolean {
    const key = `${kind} ${name}`;
    const known = this.#known.get(key) ?? this.#query(kind, name);
    this.#known.set(key, known);
    return known;
  }

  #query(kind: 'filter' | 'test', name: string): boolean {
    this.#jinja.set(`${kind}.md`, `{{ name is ${kind} }}`);
    return this.#jinja.render(`${kind}.md`, { name }) === 'true';
  }
}

const vocabulary = new Vocabulary();
