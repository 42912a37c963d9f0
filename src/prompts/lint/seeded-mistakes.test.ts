import { expect, it } from 'vitest';
import { lintFiles } from './lint-files.ts';

type Files = Readonly<Record<string, string>>;

const record = (text: string, names: readonly string[] = [], more: object = {}) => ({
  'user.jsonl': `${JSON.stringify({ name: 'p', title: 'P', description: 'd', arguments: names.map((name) => ({ name })), messages: [{ role: 'user', content: { type: 'text', text } }], ...more })}\n`,
});
const command = (body: string, fields = 'description: d') => ({ 'x.md': `---\n${fields}\n---\n${body}\n` });
const library = (text: string, fields = '', more: Files = {}) => ({
  'twig.toml': `[prompts.p]\ndescription = "d"\narguments = [{ name = "code" }]\n${fields}`,
  'prompts/p.md': text,
  ...more,
});
const jinja = (text: string) => library(`{{ code }} ${text}`);

/** Mistakes that people make, written down before the rules were looked at. */
const mistakes: [mistake: string, files: Files, found: RegExp, format?: string][] = [
  ['spaces inside the braces of an argument', record('Hi {{ who }}', ['who']), /write \{\{who\}\}/],
  ['a misspelled argument', record('{{who}} {{plce}}', ['who', 'place']), /did you mean \{\{place\}\}/],
  ['an undeclared argument', record('Hi {{who}}'), /does not match any argument/],
  ['an argument that is not used', record('Hi', ['who']), /the argument who is never used/],
  ['the placeholder of Claude Code', record('Hi $ARGUMENTS'), /\$ARGUMENTS is plain text here/],
  ['a positional placeholder', record('Hi $1'), /\$1 is plain text here/],
  ['a Jinja statement in a text that is no template', record('{% if x %}Hi{% endif %}'), /Jinja statement/],
  ['a line that is not JSON', { 'user.jsonl': '{"name": "p",}\n' }, /not JSON/],
  ['a record without messages', record('', [], { messages: [] }), /at least one message/],
  ['an unknown role', record('', [], { messages: [{ role: 'system', content: 'x' }] }), /role must be/],
  ['an argument that is declared twice', record('{{a}}', ['a', 'a']), /declared twice/],
  ['a name that nobody can type', record('Hi', [], { name: 'my prompt' }), /other than letters/],
  [
    'two records of one name',
    { 'user.jsonl': record('a')['user.jsonl'] + record('b')['user.jsonl'] },
    /already defined/,
  ],
  ['spaces inside the braces of the input', command('Do {{ input }}'), /write \{\{input\}\}/],
  ['another placeholder than the input', command('Do {{topic}}'), /only \{\{input\}\} is replaced/],
  ['front matter that never ends', { 'x.md': '---\ndescription: d\n\nDo it.' }, /end delimiter/],
  ['front matter that is not YAML', command('Do it.', 'description: "d'), /quote/],
  ['no text', command(''), /prompt content is required/],
  [
    'an unknown kind of template',
    command('Do it.', 'description: d\ntemplate: jina'),
    /template must be one of/,
  ],
  [
    'arguments that are no list',
    command('{{a}}', 'template: braces\narguments: a'),
    /arguments must be a list/,
  ],
  ['tags that are no list', command('Do it.', 'description: d\ntags: work'), /tags must be a list/],
  ['a misspelled field', command('Do it.', 'descripton: d'), /did you mean description/],
  [
    'a misspelled check in a test',
    command('Do it.', 'description: d\ntests: [{ contain: x }]'),
    /unknown field contain/,
  ],
  ['a misspelled variable', library('{{ cde }}'), /did you mean code/],
  ['an unknown filter', jinja('{{ code|uper }}'), /unknown filter: uper/],
  ['an unknown test', jinja('{{ code is blank }}'), /unknown test: blank/],
  ['an unknown function', jinja('{{ rang(3) }}'), /did you mean range/],
  ['a method that the engine lacks', jinja('{% set l = [] %}{{ l.append(1) }}'), /unknown method: append/],
  ['a block that never ends', jinja('{% if code %}x'), /unexpected end of input/],
  ['a file that does not exist', jinja('{% include "part.md" %}'), /template not found: part.md/],
  [
    'a prompt without its file',
    { 'twig.toml': '[prompts.p]\ndescription = "d"\n' },
    /content file not found/,
  ],
  ['a table that is defined twice', { 'twig.toml': '[prompts.p]\n[prompts.p]\n' }, /.+/],
  ['a misspelled field of a manifest', library('{{ code }}', 'titel = "P"\n'), /did you mean title/],
  ['a command without a prompt', { 'x.toml': 'description = "d"\n' }, /prompt is missing/, 'gemini'],
  ['a broken TOML file', { 'x.toml': 'prompt = "a\n' }, /.+/, 'gemini'],
  [
    'a skill without a description',
    { 'a/SKILL.md': '---\nname: a\n---\nx' },
    /without a description/,
    'codex-skills',
  ],
  ['a section that never ends', { 'x.prompt': '{{#if a}}x' }, /never closed/, 'dotprompt'],
  ['a helper that nobody knows', { 'x.prompt': '{{#each a}}x{{/each}}' }, /is not supported/, 'dotprompt'],
  ['a character that turns the text round', command('Do \u202Eit.'), /U\+202E/],
  [
    'two files with the same name',
    { 'a.prompt.md': '---\nname: s\n---\nx', 'b.prompt.md': '---\nname: s\n---\ny' },
    /already used by/,
  ],
];

it('there are forty', () => expect(mistakes).toHaveLength(40));

it.each(mistakes)('%s is found', async (_, files, found, format) => {
  const given = Object.entries(files).map(([path, text]) => ({ path, text }));
  const { problems } = await lintFiles(given, format);
  const reported = problems.filter(({ severity }) => severity !== 'note').map(({ message }) => message);
  expect(reported).toContainEqual(expect.stringMatching(found));
});
