import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openMounted, openPrompts, resultText, structured } from '../../../test/prompts/open-prompts.ts';
import { plantTree } from '../../../test/tree.ts';
import type { JsonObject } from '../../json.ts';
import { claudeCommands, claudePlugins } from './claude-code.ts';

const file = (path: string, text = '---\ndescription: d\n---\nDo it') => ({ path, text });

describe('a repository of plugins', () => {
  it('has commands, skills and agents; READMEs, references and other files are nothing', async () => {
    const { prompts, problems } = await claudePlugins.read(
      [
        'plugins/review/commands/check.md',
        'plugins/review/commands/git/commit.md',
        'plugins/review/agents/auditor.md',
        'plugins/review/skills/pdf/SKILL.md',
        'plugins/review/skills/pdf/references/details.md',
        'plugins/review/skills/pdf/agents/grader.md',
        'skills/pdf/commands/deep/fill.md',
        'plugins/review/README.md',
        'plugins/review/agents/README.md',
        'plugins/plugin-backups/review/commands/check.md',
        'agents/expert.agent.md',
        'commands/alone.md',
        'docs/guide.md',
      ].map((path) => file(path)),
    );
    expect(problems).toEqual([]);
    expect(prompts.map(({ name, tags }) => [name, ...tags])).toEqual([
      ['review:check'],
      ['review:git:commit'],
      ['review:auditor', 'agent'],
      ['review:pdf'],
      ['expert', 'agent'],
      ['alone'],
    ]);
  });
});

describe('a skill', () => {
  it('is found by search and expanded with its folder, also from skills.folders', async () => {
    const folder = plantTree({
      'pdf/SKILL.md': `---\nname: pdf\ndescription: Fills in PDF forms\n---\nRun \${CLAUDE_SKILL_DIR}/fill.py`,
      'pdf/fill.py': 'print()',
    });
    const { call } = openPrompts({}, {}, {}, 'tester', { skillFolders: [folder] });
    const { matches } = structured(await call('search_prompts', { query: 'pdf form' }));
    expect((matches as JsonObject[]).map(({ name }) => name)).toEqual(['pdf']);
    const base = join(folder, 'pdf');
    expect(resultText(await call('expand_prompt', { command: 'pdf' }))).toBe(
      `Base directory for this skill: ${base}\n\nRun ${base}/fill.py`,
    );
  });
});

describe('a skill of Codex', () => {
  it('is a skill with its folder, and lacks of its front matter are warnings', async () => {
    const folder = plantTree({
      'pdf/SKILL.md': '---\nname: pdf\ndescription: Fills in PDF forms\n---\nRun fill.py',
      'pdf/fill.py': 'print()',
      'bare/SKILL.md': 'Reads tide tables for a harbour.',
      'nameless/SKILL.md': '---\nname: 7\n---\nDraws the chart of a coast.',
    });
    const mounts = [{ format: 'codex-skills', path: folder }];
    const { call } = openPrompts({}, {}, {}, 'tester', { mounts });
    expect(resultText(await call('expand_prompt', { command: 'pdf' }))).toMatch(
      `Base directory for this skill: ${join(folder, 'pdf')}\n\n---\nname: pdf`,
    );
    for (const [name, query] of [
      ['bare', 'tide tables'],
      ['nameless', 'chart of a coast'],
    ] as const) {
      const { matches } = structured(await call('search_prompts', { query }));
      expect((matches as JsonObject[])[0]).toMatchObject({ name });
    }
    const { problems } = structured(await call('lint_prompts', {}));
    expect((problems as JsonObject[]).map(({ severity, message }) => [severity, message])).toEqual([
      ['warning', 'Codex loads no skill without front matter on its first line'],
      ['warning', 'Codex loads no skill without a description'],
    ]);
  });
});

describe('the arguments of a command', () => {
  it.each([
    ['A price of $4,050, $3.50 or $5.', ['arguments']],
    ['```sql\nselect * from t where id = $1\n```', ['arguments']],
    ['awk `{print $1}` and $2', ['arguments']],
    ['Compare $1 with $2', ['argument_1', 'argument_2']],
    ['Do $ARGUMENTS, first $0', ['arguments', 'argument_0']],
    ['```\n$ARGUMENTS\n```', ['arguments']],
    ['---\nargument-hint: <a> <b>\n---\n```\n$0 $1\n```', ['a', 'b']],
  ])('of %j are %j', async (text, names) => {
    const { prompts } = await claudeCommands.read([file('x.md', text)]);
    expect(prompts[0]!.arguments.map(({ name }) => name)).toEqual(names);
  });

  it('do not take words that the author did not ask for', async () => {
    const { expand } = openMounted('claude-code', { 'debt.md': 'It costs = $4,050. $ARGUMENTS' });
    expect(await expand('debt', 'src/legacy payments')).toBe('It costs = $4,050. src/legacy payments');
  });
});

describe('a write', () => {
  it('of a method or an import answers with its problems too', async () => {
    const { request, call } = openPrompts({});
    const message = (text: string) => [{ role: 'user', content: { type: 'text', text } }];
    const fields = { name: 'note', title: 'N', messages: message('Hi {{who}} {{ who }}') };
    expect(await request('prompts/create', fields)).toMatchObject({
      success: true,
      example: 'Hi <who> {{ who }}',
      problems: [{ rule: 'placeholder-spaces' }],
    });
    expect(
      await request('prompts/update', { name: 'note', messages: message('Hi {{who}} {{where}}') }),
    ).toMatchObject({ example: 'Hi <who> <where>', problems: [] });
    const file = { path: 'x.md', text: '---\ntemplate: braces\ndescription: d\n---\nDo $ARGUMENTS' };
    expect(structured(await call('import_prompts', { format: 'commands', files: [file] }))).toMatchObject({
      imported: [{ name: 'x' }],
      problems: [{ rule: 'plain-placeholder', file: 'x.md' }],
    });
  });

  it('finds the prompt by a name with a colon or slash before it', async () => {
    const { call } = openPrompts({});
    await call('create_prompt', { name: 'note', title: 'N', text: 'Hi' });
    expect(structured(await call('update_prompt', { name: ':note', text: 'Ho' }))).toMatchObject({
      message: 'Updated prompt: note',
    });
    expect(structured(await call('organize_prompt', { name: '/note', favourite: true }))).toMatchObject({
      favourite: true,
    });
    expect(structured(await call('delete_prompt', { name: ':note' }))).toMatchObject({ success: true });
  });

  it('answers with its problems and an example, and declares new placeholders', async () => {
    const { call } = openPrompts({});
    const created = structured(
      await call('create_prompt', { name: 'note', title: 'N', text: 'Hi {{who}} { $ARGUMENTS }{% if x %}' }),
    );
    expect(created).toMatchObject({
      example: 'Hi <who> { $ARGUMENTS }{% if x %}',
      problems: [{ rule: 'plain-placeholder' }, { rule: 'plain-placeholder' }],
    });
    const updated = structured(
      await call('update_prompt', { name: 'note', text: 'Hi {{who}} at {{where}}' }),
    );
    expect(updated).toMatchObject({ example: 'Hi <who> at <where>', problems: [] });
    expect(structured(await call('update_prompt', { name: 'note', text: 'Hi {{ who }}' }))).toMatchObject({
      problems: [
        { message: expect.stringContaining('write {{who}}') },
        { message: expect.stringContaining('the argument where is never used') },
      ],
    });
  });
});
