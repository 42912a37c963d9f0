import type { Content } from '../content.ts';
import type { Problem } from '../feature.ts';
import { present } from '../json.ts';
import { singleLine } from '../single-line.ts';
import {
  digestOf,
  manifestName,
  promptsSegment,
  type Skill,
  type SkillReading,
  skillLimits,
  skillNameOf,
  skillUri,
} from './skill.ts';
import { printManifest } from './skill-manifest.ts';

/** A prompt of the library, before any argument is filled in. */
export interface SkillPrompt {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
    readonly default?: string;
  }[];
  readonly messages: readonly { readonly role: string; readonly content: Content }[];
  readonly tags: readonly string[];
  readonly template: 'input' | 'braces' | 'jinja' | 'none';
  readonly file: string;
  readonly line: number;
  /** Set for a skill, which is served with all files of this folder. */
  readonly folder?: string;
  /** The source of the prompt, which problems name. */
  readonly source?: string;
  /** Whether `resources/list` contains the skill. Default: true. */
  readonly isListed?: boolean;
}

const maxDescription = 1024;

/** Turns prompts into skills that consist of a SKILL.md only. */
export function promptSkills(prompts: readonly SkillPrompt[]): SkillReading {
  const skills = new Map<string, Skill>();
  const names = new Map<string, string>();
  const problems: Problem[] = [];
  // A prompt whose name is already valid as a skill name keeps it.
  const exactFirst = [...prompts].sort((one, other) => Number(isExact(other)) - Number(isExact(one)));
  for (const prompt of exactFirst) {
    const name = skillNameOf(prompt.name);
    const reason =
      name === ''
        ? 'its name has no Latin letter and no digit'
        : names.has(name)
          ? `the prompt "${names.get(name)}" has the skill name "${name}" as well`
          : undefined;
    const skill = reason === undefined ? skillOf(name, prompt) : undefined;
    if (skill !== undefined && skill.files[0]!.size <= skillLimits.bytes) {
      skills.set(name, skill);
      names.set(name, prompt.name);
    } else {
      const why = reason ?? `it is larger than ${skillLimits.bytes} bytes`;
      const message = `The prompt "${prompt.name}" is not served as a skill: ${why}.`;
      const { file, line, source } = prompt;
      const place = present({ file, line, source });
      problems.push({ ...place, severity: 'warning', message, prompts: [prompt.name] });
    }
  }
  return { skills: [...skills.values()], problems };
}

function isExact({ name }: SkillPrompt): boolean {
  return skillNameOf(name) === name;
}

function skillOf(name: string, prompt: SkillPrompt): Skill {
  const { title, description } = prompt;
  const words = [description, title].map((text) => singleLine(text ?? '', maxDescription));
  const frontmatter = {
    name,
    description: words.find((text) => text !== '') ?? singleLine(`The prompt ${prompt.name}`, maxDescription),
  };
  const body = ['', explanationOf(prompt), '', textOf(prompt), ''].join('\n');
  const bytes = Buffer.from(printManifest(frontmatter, body));
  const file = { path: manifestName, digest: digestOf(bytes), size: bytes.length, read: async () => bytes };
  const root = skillUri(promptsSegment, name);
  return { name, root, frontmatter, files: [file], folders: [], listed: false };
}

const placeholders: Readonly<Record<SkillPrompt['template'], string>> = {
  input:
    'Replace {{input}} with the request of the user. If the text does not contain it, add the request at the end.',
  braces: 'Replace each {{name}} with the argument of that name.',
  jinja: 'The text is a Jinja template: evaluate it with the arguments.',
  none: 'The text has no placeholders.',
};

function explanationOf({ name, arguments: args, messages, template }: SkillPrompt): string {
  const omitted = messages.filter(({ content }) => content.type !== 'text').length;
  const lines = args.map((argument) => {
    const notes = [
      ...(argument.required ? ['required'] : ['optional']),
      ...(argument.default === undefined ? [] : [`default: ${JSON.stringify(argument.default)}`]),
    ].join(', ');
    const description =
      argument.description === undefined ? '' : `: ${singleLine(argument.description, 1000)}`;
    return `- ${singleLine(argument.name)} (${notes})${description}`;
  });
  return [
    `Follow the prompt below. ${placeholders[template]} The server does the same when you get its prompt ${JSON.stringify(name)}.`,
    ...(omitted > 0
      ? [`The prompt also contains ${omitted} attachment(s), which only the server sends.`]
      : []),
    ...(lines.length > 0 ? ['', 'Arguments:', '', ...lines] : []),
    '',
    '---',
  ].join('\n');
}

function textOf({ messages }: SkillPrompt): string {
  const texts = messages.flatMap(({ role, content }) =>
    content.type === 'text' ? [messages.length > 1 ? `${role}:\n\n${content.text}` : content.text] : [],
  );
  return texts.join('\n\n');
}
