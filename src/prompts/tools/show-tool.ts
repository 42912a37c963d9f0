import { anyObject, defineTool, hints } from '../../tool.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { isEditable } from '../definition/source.ts';
import type { Versions } from '../versions/versions.ts';
import { argumentsSchema, storedMessageSchema } from './prompt-schemas.ts';

/** Shows a prompt as stored in its source, before arguments are filled in. */
export function createShow(catalog: Catalog, versions: Versions) {
  return defineTool({
    name: 'show_prompt',
    toolsets: ['prompts', 'prompt_editing'],
    scope: 'read',
    title: 'Show prompt',
    description:
      'Shows a prompt without filling it in, e.g. before changing it: template, arguments, revision, file, and whether it can be edited.',
    searchHint: 'read template',
    phrases:
      'show raw template source file path definition arguments blanks placeholders variables of a prompt before filling it in read open view wording exactly say contents inside look at full text saved without running inspect body written print see details editable parameters inputs takes needs',
    inputSchema: {
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string', minLength: 1, description: 'Name of the prompt' } },
    },
    outputSchema: {
      type: 'object',
      required: [
        'name',
        'revision',
        'source',
        'file',
        'line',
        'kind',
        'template',
        'messages',
        'arguments',
        'tags',
        'editable',
      ],
      properties: {
        name: { type: 'string' },
        revision: { type: 'string', description: 'Changes with every edit; see expected_revision' },
        title: { type: 'string' },
        description: { type: 'string' },
        source: { type: 'string' },
        file: { type: 'string' },
        line: { type: 'integer' },
        kind: { enum: ['input', 'braces', 'jinja', 'none'] },
        template: { type: 'string' },
        messages: { type: 'array', items: anyObject(storedMessageSchema) },
        arguments: { type: 'array', items: anyObject(argumentsSchema.items) },
        tags: { type: 'array', items: { type: 'string' } },
        editable: { type: 'boolean' },
        tests: { type: 'integer', description: 'Number of tests' },
        uses: { type: 'array', items: { type: 'string' }, description: 'Prompts that it includes' },
        labels: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'Revisions by label',
        },
      },
    },
    annotations: hints.reads,
    async call({ name }) {
      const entry = await versions.find(name);
      const { definition, source } = entry;
      const { template: kind, messages, arguments: args, dependencies: _, tests = [], ...facts } = definition;
      const labels = (await versions.labels(definition.name)).map(({ label, revision }) => [label, revision]);
      const texts = messages.flatMap(({ content }) => (content.type === 'text' ? [content.text] : []));
      return {
        structured: {
          ...facts,
          revision: await catalog.revision(entry),
          kind,
          source: source.name,
          template: texts.join('\n\n'),
          messages,
          arguments: args,
          editable: isEditable(source),
          ...(tests.length > 0 && { tests: tests.length }),
          ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
        },
      };
    },
  });
}
