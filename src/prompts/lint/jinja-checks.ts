import { basename, dirname, join } from 'node:path';
import type { Problem } from '../../feature.ts';
import { nearest } from '../../nearest.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { Jinja } from '../jinja/jinja.ts';
import { TemplateError } from '../jinja/template-error.ts';
import { CompiledTemplates, type MessageTemplates } from '../rendering/template-set.ts';
import { unsupportedConstructs } from '../template/dialect.ts';
import { promptOf, templateLabel } from '../template/references.ts';
import { scanTemplate } from '../template/scanner.ts';
import { freeVariables, globalNames } from '../template/variables.ts';
import { type Finding, type LintTarget, NameSuggestions, problemAt, type Sources } from './finding.ts';

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
    const others = lintSet(definition, {
      names: [...texts.keys()],
      sources: texts,
      sourceOf: (name) => texts.get(name),
    });
    return [
      compileError,
      ...others.filter(({ line, column }) => line !== compileError.line || column !== compileError.column),
    ];
  }
}

async function compileAlone(definition: PromptDefinition): Promise<Sources> {
  const set = await CompiledTemplates.compile(ownTemplates(definition), {
    load: async () => undefined,
    names: () => [],
  });
  set.close();
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
  const open = new Set<string>();
  const visit = (template: string, source: string) => {
    if (seen.has(template)) return;
    seen.add(template);
    open.add(template);
    const report = (finding: Finding) => problems.push(problemIn(definition, template, finding));
    for (const construct of unsupportedConstructs(source)) report({ severity: 'error', ...construct });
    const { filters, tests, methods, imported, references } = scanTemplate(source);
    for (const [kind, uses] of [['filter', filters] as const, ['test', tests] as const]) {
      const unknown = vocabulary.unknown(kind, uses);
      for (const { name, ...place } of uses)
        if (unknown.has(name)) report({ severity: 'error', message: `unknown ${kind}: ${name}`, ...place });
    }
    for (const { name, object, ...place } of methods)
      if (missingMethods.has(name) && !(object !== undefined && imported.has(object)))
        report({ severity: 'error', message: `unknown method: ${name}`, ...place });
    for (const { kind, name, optional, known: _, ...place } of references) {
      const found = name === undefined ? undefined : set.sourceOf(name);
      if (name === undefined) dynamic = true;
      else if (open.has(name) && promptOf(name) !== undefined)
        report({ severity: 'error', message: `${templateLabel(name)} includes itself`, ...place });
      else if (found !== undefined) visit(name, found);
      else if (!optional) report({ severity: 'error', message: notFound(kind, name), ...place });
    }
    open.delete(template);
  };
  for (const template of set.names) visit(template, set.sourceOf(template) ?? '');
  const declared = new NameSuggestions(definition.arguments.map(({ name }) => name));
  for (const template of set.names) {
    for (const use of freeVariables(set.sourceOf(template) ?? '', (name) => set.sourceOf(name))) {
      used.add(use.name);
      // An optional argument of an included prompt need not be declared again.
      if (use.guarded && promptOf(use.template ?? '') !== undefined) continue;
      const finding = variableFinding(declared, use);
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

function notFound(kind: string, name: string): string {
  const prompt = promptOf(name);
  return prompt === undefined ? `${kind}: template not found: ${name}` : `prompt not found: ${prompt}`;
}

function variableFinding(
  declared: NameSuggestions,
  { name, called, guarded, line, column }: ReturnType<typeof freeVariables>[number],
): Finding | undefined {
  const place = { line, column };
  if (called && !declared.has(name)) {
    const suggestion = didYouMean(nearest(name, globalNames));
    return { severity: 'error', message: `unknown function: ${name}${suggestion}`, ...place };
  }
  if (called)
    return { severity: 'error', message: `the argument ${name} is text and cannot be called`, ...place };
  if (declared.has(name)) return undefined;
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
    message: `undefined variable: ${name}${literal || didYouMean(declared.nearest(name))}`,
    ...place,
  };
}

function didYouMean(candidate: string | undefined): string {
  return candidate === undefined ? '' : `; did you mean ${candidate}?`;
}

/** Converts a position in a template to a position in its file: the prompt's own file, the manifest, or a file of the library. */
function problemIn(definition: PromptDefinition, template: string, finding: Finding): Problem {
  if (promptOf(template) !== undefined) {
    const { line: _, column: _column, message, ...rest } = finding;
    return problemAt(definition, {
      ...rest,
      message: `in ${templateLabel(template)}, which it includes: ${message}`,
    });
  }
  if (template === '' || template === basename(definition.file) || definition.file.endsWith('.jsonl'))
    return problemAt(definition, finding);
  if (template.startsWith('twig.toml ')) {
    const { line: _, column: _column, ...rest } = finding;
    return { file: join(dirname(definition.file), '..', 'twig.toml'), ...rest };
  }
  return { file: join(dirname(definition.file), template), ...finding };
}

const batchSize = 500;

/** The filters and tests that the engine supports. Queries the engine itself, so no list has to be maintained. */
class Vocabulary {
  readonly #jinja = new Jinja();
  /** Holds only names that the engine supports: templates can contain any number of other names. */
  readonly #known = new Set<string>();

  /** The names that the engine does not support. Many names share a query, because a query takes much longer than a name. */
  unknown(kind: 'filter' | 'test', uses: readonly { readonly name: string }[]): ReadonlySet<string> {
    const names = [...new Set(uses.map(({ name }) => name))].filter(
      (name) => !this.#known.has(`${kind} ${name}`),
    );
    for (let from = 0; from < names.length; from += batchSize)
      for (const name of this.#supported(kind, names.slice(from, from + batchSize)))
        this.#known.add(`${kind} ${name}`);
    return new Set(names.filter((name) => !this.#known.has(`${kind} ${name}`)));
  }

  #supported(kind: 'filter' | 'test', names: readonly string[]): readonly string[] {
    this.#jinja.set(`${kind}.md`, `{% for name in names %}{{ name is ${kind} }} {% endfor %}`);
    const answers = this.#jinja.render(`${kind}.md`, { names }).split(' ');
    return names.filter((_, index) => answers[index] === 'true');
  }
}

const vocabulary = new Vocabulary();
