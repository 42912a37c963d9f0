import { basename, dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { PromptSource, TemplateSet } from '../definition/source.ts';
import { TemplateError } from '../jinja/template-error.ts';
import { promptOf, templateLabel } from '../template/references.ts';
import type { Composition } from './composition.ts';
import {
  CompiledTemplates,
  type TemplateFiles,
  type UnknownVariable,
  unknownVariable,
} from './template-set.ts';

/** The texts of a prompt's messages, empty for other content. Errors contain the file and line, but never an argument's value. */
export async function renderTemplates(
  definition: PromptDefinition,
  args: Readonly<Record<string, string>>,
  source: PromptSource,
): Promise<readonly string[]> {
  try {
    const templates = await (source.templates?.(definition) ?? templatesOf(definition));
    await assertKnown(definition, templates);
    return await Promise.all(
      definition.messages.map(async ({ content }, index) =>
        content.type === 'text' ? templates.render(templates.names[index]!, args) : '',
      ),
    );
  } catch (error) {
    throw renderFailure(definition, error);
  }
}

/** Compiles a prompt whose source has no library, so there are no files to include. */
export async function templatesOf(
  definition: PromptDefinition,
  composition?: Composition,
): Promise<TemplateSet> {
  const own = definition.messages.map(
    ({ content }, index) =>
      [
        index === 0 ? ownTemplateName(definition) : `${index + 1}.md`,
        content.type === 'text' ? content.text : '',
      ] as const,
  );
  const messages = composition?.messages(own) ?? own;
  const known = compiledAlone.get(definition);
  if (known !== undefined && (composition === undefined || (await known.isCurrent(messages)))) return known;
  const set = await CompiledTemplates.compile(messages, composition?.files(noFiles) ?? noFiles);
  known?.close();
  compiledAlone.set(definition, set);
  return set;
}

const noFiles: TemplateFiles = { load: async () => undefined, names: () => [] };
const compiledAlone = new WeakMap<PromptDefinition, CompiledTemplates>();

function ownTemplateName({ file }: PromptDefinition): string {
  return basename(file);
}

const checked = new WeakMap<TemplateSet, UnknownVariable | undefined>();

/** Undefined variables print as nothing, so this check finds misspelt names before rendering. */
async function assertKnown(definition: PromptDefinition, templates: TemplateSet): Promise<void> {
  if (!checked.has(templates)) checked.set(templates, await unknownVariable(definition, templates));
  const unknown = checked.get(templates);
  if (unknown !== undefined)
    throw new TemplateError(unknown.template, `undefined variable '${unknown.name}'`, unknown.line);
}

function renderFailure(definition: PromptDefinition, error: unknown): unknown {
  if (!(error instanceof TemplateError)) return error;
  const own = error.template === ownTemplateName(definition);
  const line = error.line === undefined ? undefined : own ? error.line + definition.line - 1 : error.line;
  const where = line === undefined ? '' : ` at line ${line}`;
  const file = own ? '' : ` (in ${templateLabel(error.template)})`;
  return new Failure('render-failed', `Error rendering prompt template${where}: ${error.message}${file}`, {
    data: {
      // The error is shown at the prompt that was requested, even if it occurred in a prompt that it uses.
      ...(promptOf(error.template) === undefined
        ? { file: join(dirname(definition.file), error.template), ...(line !== undefined && { line }) }
        : { file: definition.file }),
    },
  });
}
