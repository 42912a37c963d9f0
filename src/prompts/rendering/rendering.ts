import { Failure, type Issue } from '../../failure.ts';
import type { PromptMessage, RenderedPrompt } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type { PromptSource } from '../definition/source.ts';
import { type Arguments, fillTyped, missingArguments } from './arguments.ts';

export const inputPlaceholder = '{{input}}';

/** Renders the text of each message once, so values are never expanded again. Other content is sent unchanged. */
export async function renderPrompt(
  definition: PromptDefinition,
  given: Arguments,
  source: PromptSource,
): Promise<RenderedPrompt> {
  const { args, appended } = completeArguments(definition, given);
  if (definition.template !== 'jinja')
    return rendered(definition, createRenderer(definition, args), appended);
  const { renderTemplates } = await import('./jinja-rendering.ts');
  const texts = await renderTemplates(definition, declaredOnly(definition, args), source);
  return rendered(definition, (_, index) => texts[index]!, appended);
}

function completeArguments(
  definition: PromptDefinition,
  given: Arguments,
): { readonly args: Arguments; readonly appended: string } {
  const [missing] = missingArguments(definition, given);
  if (missing !== undefined) throw new Failure('missing-argument', `Missing required argument: ${missing}`);
  if (definition.typed === undefined) return { args: withDefaults(definition, given), appended: '' };
  const { args, appended } = fillTyped(definition, given);
  return { args: withDefaults(definition, args), appended };
}

/** The text of a message with its arguments filled in. */
type Renderer = (text: string, message: number) => string;

function createRenderer({ template }: PromptDefinition, args: Arguments): Renderer {
  switch (template) {
    case 'input': {
      const { input = '' } = requireText({ input: args['input'] ?? '' });
      return (text) =>
        text.includes(inputPlaceholder) ? text.split(inputPlaceholder).join(input) : `${text}\n\n${input}`;
    }
    case 'braces': {
      const values = requireText(args);
      return (text) =>
        text.replaceAll(/\{\{([^{}]+)\}\}/g, (placeholder, name: string) =>
          Object.hasOwn(values, name) ? values[name]! : placeholder,
        );
    }
    default:
      return (text) => text;
  }
}

function rendered(definition: PromptDefinition, renderText: Renderer, appended: string): RenderedPrompt {
  const { messages, description, folder } = definition;
  const render: Renderer =
    folder === undefined
      ? renderText
      : (text, index) => inFolder({ ...definition, folder }, index, renderText(text, index));
  return withTexts(
    { ...(description !== undefined && { description }), messages },
    (text, index) => render(text, index) + appended,
  );
}

/** Changes the text of each message. Other content stays as it is. */
export function withTexts<Owner extends { readonly messages: readonly PromptMessage[] }>(
  owner: Owner,
  change: Renderer,
): Owner {
  const messages = owner.messages.map(({ role, content }, index) => ({
    role,
    content: content.type === 'text' ? { ...content, text: change(content.text, index) } : content,
  }));
  return { ...owner, messages };
}

/** Tells where the files of a skill are, in the words of Claude Code. */
export function inFolder(
  { folder, addresses = [] }: Pick<PromptDefinition, 'addresses'> & { readonly folder: string },
  index: number,
  text: string,
): string {
  const own = text.replaceAll(/\$\{CLAUDE_SKILL_DIR\}/g, () => folder);
  if (index > 0) return own;
  const files =
    addresses.length === 0 ? '' : `\nIts files are resources of this server: ${addresses.join(', ')}`;
  return `Base directory for this skill: ${folder}${files}\n\n${own}`;
}

function withDefaults({ arguments: declared }: PromptDefinition, given: Arguments): Arguments {
  const withDefault = declared.filter((argument) => argument.default !== undefined);
  if (withDefault.length === 0) return given;
  return { ...Object.fromEntries(withDefault.map(({ name, default: value }) => [name, value])), ...given };
}

/** Requires all arguments to be text: only Jinja templates can render other values. */
function requireText(args: Arguments): Readonly<Record<string, string>> {
  if (Object.values(args).every((value) => typeof value === 'string'))
    return args as Readonly<Record<string, string>>;
  const issues = Object.entries(args)
    .filter(([, value]) => typeof value !== 'string')
    .map(
      ([name]): Issue => ({
        path: ['arguments', name],
        keyword: 'type',
        expected: 'string',
        message: 'must be text',
      }),
    );
  const names = issues.map(({ path }) => path[1]).join(', ');
  throw new Failure('invalid-params', `Arguments must be text: ${names}`, { issues });
}

function declaredOnly(
  { arguments: declared }: PromptDefinition,
  args: Arguments,
): Readonly<Record<string, string>> {
  const present = declared.filter(({ name }) => args[name] !== undefined && args[name] !== null);
  return Object.fromEntries(
    present.map(({ name }) => {
      const value = args[name];
      return [name, typeof value === 'string' ? value : JSON.stringify(value)];
    }),
  );
}

/** Joins the messages into one text for clients that accept only text. Adds the roles unless all messages are from the user. */
export function flatten(messages: readonly PromptMessage[]): string {
  const showRoles = messages.some(({ role }) => role !== 'user');
  return messages
    .map(({ role, content }) => {
      const text = content.type === 'text' ? content.text : `[${content.type}]`;
      return showRoles ? `[${role}]\n${text}` : text;
    })
    .join('\n\n');
}
