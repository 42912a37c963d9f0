import type { Problem } from '../../feature.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { Pace } from '../files/pace.ts';
import { type Finding, problemAt, type Subject } from './finding.ts';
import { hiddenCharacters } from './hidden-characters.ts';
import { lintPlaceholders, unusedArguments } from './placeholders.ts';

/** Everything that is wrong with one prompt, by reading alone. */
export async function lintPrompt(subject: Subject): Promise<readonly Problem[]> {
  const { definition, translated = false } = subject;
  const texts = definition.messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : []));
  const findings = [
    ...nameFindings(subject),
    ...hiddenInFields(definition),
    ...texts.flatMap(hiddenCharacters),
    ...(definition.template === 'jinja'
      ? []
      : texts.flatMap((text) => lintPlaceholders(definition, text, translated))),
    ...unusedArguments(definition, texts),
  ];
  const jinja =
    definition.template === 'jinja'
      ? await import('./jinja-checks.ts').then(({ lintJinja }) => lintJinja(subject))
      : [];
  const prompts = [definition.name];
  return [...findings.map((finding) => problemAt(definition, finding)), ...jinja].map((problem) => ({
    ...problem,
    prompts,
  }));
}

/** In JSONL a name is made of letters, digits and underscores, or other servers do not take it. */
function nameFindings({ definition: { name, file }, prefix }: Subject): readonly Finding[] {
  const written = prefix === undefined ? name : name.slice(prefix.length + 1);
  if (!file.endsWith('.jsonl') || /^[A-Za-z0-9_]+$/.test(written)) return [];
  return [
    { severity: 'warning', message: 'the name has other characters than letters, digits and underscores' },
  ];
}

/** What people read in lists must hold nothing hidden either. */
function hiddenInFields({ name, title, description, arguments: declared }: PromptDefinition) {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['name', name],
    ['title', title],
    ['description', description],
    ...declared.map(
      (argument) => [`argument ${argument.name}`, `${argument.name}${argument.description ?? ''}`] as const,
    ),
  ];
  return fields.flatMap(([field, text]) =>
    hiddenCharacters(text ?? '').map(({ message, severity }) => ({
      severity,
      message: `${field}: ${message}`,
    })),
  );
}

/** The whole catalogue, or some of it: what its sources tell, and what reading every prompt tells. */
export async function lintCatalog(catalog: Catalog, names?: readonly string[]): Promise<readonly Problem[]> {
  const problems = (await catalog.problems()).filter(
    ({ prompts }) => names === undefined || prompts?.some((name) => names.includes(name)),
  );
  const entries =
    names === undefined ? await catalog.list() : await Promise.all(names.map((name) => catalog.find(name)));
  const pace = new Pace();
  for (const entry of entries) {
    // Only a prompt that was asked for by its name knows its library.
    const { definition, source } = entry.source.templates ? await catalog.find(entry.definition.name) : entry;
    problems.push(
      ...(await lintPrompt({
        definition,
        translated: source.translates ?? false,
        prefix: source.prefix,
        ...(source.templates !== undefined && { templates: () => source.templates!(definition) }),
      })),
    );
    await pace.pause;
  }
  return inOrder(problems);
}

/** By file and line, each thing once, with all prompts that it concerns. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const unique = new Map<string, Problem>();
  for (const problem of problems) {
    const key = JSON.stringify([problem.file, problem.line, problem.column, problem.message]);
    const prompts = [...new Set([...(unique.get(key)?.prompts ?? []), ...(problem.prompts ?? [])])];
    unique.set(key, { ...problem, ...(prompts.length > 0 && { prompts }) });
  }
  return [...unique.values()].sort(
    (a, b) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0),
  );
}
