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
import { type Finding, problemAt, type Subject } from './finding.ts';

/** Methods of Python that templates are often written with and the engine has not. */
const missingMethods = new Set(
  `append casefold center clear copy encode expandtabs extend format index insert isdecimal isidentifier istitle ljust
  partition pop remove removeprefix removesuffix reverse rjust rpartition rsplit setdefault sort swapcase translate update
  zfill`.split(/\s+/),
);

/** Looks at a prompt of Jinja templates and at all they bring in. */
export async function lintJinja({ definition, templates }: Subject): Promise<readonly Problem[]> {
  try {
    const set = await (templates?.() ?? compileAlone(definition));
    return lintSet(definition, set);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const told = placed(definition, error.template, {
      severity: 'error',
      message: error.message,
      ...(error.line !== undefined && { line: error.line }),
      ...(error.column !== undefined && { column: error.column }),
    });
    // What is wrong with the templates otherwise is worth knowing too.
    const texts = new Map(textsOf(definition));
    const others = lintSet(definition, { names: [...texts.keys()], sourceOf: (name) => texts.get(name) });
    return [told, ...others.filter(({ line, column }) => line !== told.line || column !== told.column)];
  }
}

type Sources = Pick<TemplateSet, 'names' | 'sourceOf'>;

async function compileAlone(definition: PromptDefinition): Promise<Sources> {
  const set = await CompiledTemplates.compile(textsOf(definition), {
    load: async () => undefined,
    names: () => [],
  });
  set.jinja.close();
  return set;
}

function textsOf({ messages, file }: PromptDefinition): MessageTemplates {
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
    const tell = (finding: Finding) => problems.push(placed(definition, template, finding));
    for (const construct of unsupportedConstructs(source)) tell({ severity: 'error', ...construct });
    const { filters, tests, methods, imported, references } = scanTemplate(source);
    for (const { name, ...place } of filters)
      if (!vocabulary.has('filter', name))
        tell({ severity: 'error', message: `unknown filter: ${name}`, ...place });
    for (const { name, ...place } of tests)
      if (!vocabulary.has('test', name))
        tell({ severity: 'error', message: `unknown test: ${name}`, ...place });
    for (const { name, object, ...place } of methods)
      if (missingMethods.has(name) && !(object !== undefined && imported.has(object)))
        tell({ severity: 'error', message: `unknown method: ${name}`, ...place });
    for (const { kind, name, optional, known: _, ...place } of references) {
      const found = name === undefined ? undefined : set.sourceOf(name);
      if (name === undefined) dynamic = true;
      else if (found !== undefined) visit(name, found);
      else if (!optional)
        tell({ severity: 'error', message: `${kind}: there is no template ${name}`, ...place });
    }
  };
  for (const template of set.names) visit(template, set.sourceOf(template) ?? '');
  for (const template of set.names) {
    for (const use of freeVariables(set.sourceOf(template) ?? '', (name) => set.sourceOf(name))) {
      used.add(use.name);
      const finding = variableFinding(definition, use);
      if (finding !== undefined) problems.push(placed(definition, use.template ?? template, finding));
    }
  }
  if (!dynamic)
    for (const { name } of definition.arguments)
      if (!used.has(name))
        problems.push(
          placed(definition, set.names[0] ?? '', {
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
    const meant = nearest(name, globalNames);
    return { severity: 'error', message: `unknown function: ${name}${suggestion(meant)}`, ...place };
  }
  if (called)
    return { severity: 'error', message: `the argument ${name} is text and cannot be called`, ...place };
  if (names.includes(name)) return undefined;
  if (guarded) return { severity: 'warning', message: `${name} is never given: it is no argument`, ...place };
  const literal =
    name === 'input' ? '; a library has no {{input}} of its own, so declare it as an argument' : '';
  return {
    severity: 'error',
    message: `undefined variable: ${name}${literal || suggestion(nearest(name, names))}`,
    ...place,
  };
}

function suggestion(meant: string | undefined): string {
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

/** The template of the prompt itself begins where its body does; others are files of the library. */
function placed(definition: PromptDefinition, template: string, finding: Finding): Problem {
  if (template === '' || template === basename(definition.file) || definition.file.endsWith('.jsonl'))
    return problemAt(definition, finding);
  if (template.startsWith('twig.toml ')) {
    const { line: _, column: _column, ...rest } = finding;
    return { file: join(dirname(definition.file), '..', 'twig.toml'), ...rest };
  }
  return { file: join(dirname(definition.file), template), ...finding };
}

/** What the engine knows by name; it is asked, so that nobody keeps a list. */
class Vocabulary {
  readonly #jinja = new Jinja();
  readonly #known = new Map<string, boolean>();

  has(kind: 'filter' | 'test', name: string): boolean {
    const key = `${kind} ${name}`;
    const known = this.#known.get(key) ?? this.#ask(kind, name);
    this.#known.set(key, known);
    return known;
  }

  #ask(kind: 'filter' | 'test', name: string): boolean {
    this.#jinja.set(`${kind}.md`, `{{ name is ${kind} }}`);
    return this.#jinja.render(`${kind}.md`, { name }) === 'true';
  }
}

const vocabulary = new Vocabulary();
