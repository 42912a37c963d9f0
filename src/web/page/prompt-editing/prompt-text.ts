import type { ToolAnswer } from '../../../api.ts';
import type { PromptArgument } from './prompt.ts';

/** The fields of a prompt that are shown in a comparison. */
export type PromptVersion = {
  readonly [Field in 'title' | 'description' | 'tags' | 'arguments' | 'messages']?:
    | ToolAnswer<'show_prompt'>[Field]
    | undefined;
};

/** Formats the editable fields of a prompt as lines for a comparison. */
export function promptText(version: PromptVersion | undefined): string {
  if (version === undefined) return '';
  const { title = '', description = '', tags = [], arguments: args = [], messages = [] } = version;
  return [
    `title: ${title}`,
    `description: ${description}`,
    `tags: ${tags.join(' ')}`,
    ...args.map(argumentText),
    ...messages.map(
      ({ role, content }) => `\n[${role}]\n${content.type === 'text' ? content.text : `[${content.type}]`}`,
    ),
  ].join('\n');
}

function argumentText({ name, required, description = '', ...others }: PromptArgument): string {
  const more = Object.entries(others).map(([field, value]) => `${field}: ${JSON.stringify(value)}`);
  return [`argument: ${name}${required ? ' (required)' : ''}`, description, ...more].join(' ').trimEnd();
}
