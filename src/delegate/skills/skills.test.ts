import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoverSkills, parseSkill, type SkillPlaces } from './skills.ts';

let folder: string;
let places: SkillPlaces;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-skills-')));
  places = {
    cwd: join(folder, 'repo', 'packages', 'web'),
    codexHome: join(folder, 'home', '.codex'),
    userHome: join(folder, 'home'),
    includeRepo: true,
    includeGlobal: true,
  };
  mkdirSync(places.cwd, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}
const skill = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\nBody of ${name}.\n`;
const names = async (given = places) => (await discoverSkills(given)).skills.map(({ name }) => name);

describe('discoverSkills', () => {
  it('finds nothing where there is nothing', async () => {
    expect(await discoverSkills({ ...places, cwd: join(folder, 'gone') })).toEqual({
      roots: { repo: [], global: [] },
      skills: [],
    });
  });

  it('looks in both folders of the working folder and of everything above it, then in the global ones', async () => {
    write('repo/packages/web/.agents/skills/near/SKILL.md', skill('near'));
    write('repo/.codex/skills/far/SKILL.md', skill('far'));
    write('.agents/skills/above/SKILL.md', skill('above'));
    write('home/.codex/skills/mine/SKILL.md', skill('mine'));
    write('home/.codex/skills/.system/bundled/SKILL.md', skill('bundled'));
    write('home/.agents/skills/shared/SKILL.md', skill('shared'));
    const { roots, skills } = await discoverSkills(places);
    expect(skills.map(({ name, origin }) => `${origin}:${name}`)).toEqual([
      'repo:near',
      'repo:far',
      'repo:above',
      'global:bundled',
      'global:mine',
      'global:shared',
    ]);
    expect(roots.repo[0]).toBe(join(places.cwd, '.agents', 'skills'));
    expect(roots.global).toEqual([
      join(places.codexHome, 'skills'),
      join(places.userHome, '.agents', 'skills'),
    ]);
  });

  it('leaves out what the caller does not want', async () => {
    write('repo/.codex/skills/far/SKILL.md', skill('far'));
    write('home/.codex/skills/mine/SKILL.md', skill('mine'));
    expect(await names({ ...places, includeRepo: false })).toEqual(['mine']);
    expect(await names({ ...places, includeGlobal: false })).toEqual(['far']);
  });

  it('counts the global folder as global, also for a working folder below the home', async () => {
    write('home/.codex/skills/mine/SKILL.md', skill('mine'));
    mkdirSync(join(folder, 'home', 'notes'));
    const { skills } = await discoverSkills({ ...places, cwd: join(folder, 'home', 'notes') });
    expect(skills.map(({ origin }) => origin)).toEqual(['global']);
    expect(await names({ ...places, cwd: join(folder, 'home', 'notes'), includeGlobal: false })).toEqual([]);
  });

  it('does not trust a folder above in which everybody may write', async () => {
    write('repo/.codex/skills/planted/SKILL.md', skill('planted'));
    chmodSync(join(folder, 'repo'), 0o777);
    expect(await names()).toEqual([]);
    expect(await names({ ...places, cwd: join(folder, 'repo') })).toEqual(['planted']);
  });

  it('takes a file as working folder for the folder it lies in', async () => {
    write('repo/.codex/skills/far/SKILL.md', skill('far'));
    expect(await names({ ...places, cwd: write('repo/notes.txt', '') })).toEqual(['far']);
  });

  it('names a skill after its folder when the front matter is missing, broken or of another shape', async () => {
    write('repo/.codex/skills/bare/SKILL.md', '# No front matter\n');
    write('repo/.codex/skills/broken/SKILL.md', '---\nname: [\n---\nText\n');
    write('repo/.codex/skills/list/SKILL.md', '---\n- one\n---\nText\n');
    write('repo/.codex/skills/open/SKILL.md', '---\nname: never closed\n');
    expect(await names()).toEqual(['bare', 'broken', 'list', 'open']);
  });

  it('drops a skill that asks to be left out, and files of another name', async () => {
    write('repo/.codex/skills/own/SKILL.md', skill('own', 'delegator_exclude: true\n'));
    write('repo/.codex/skills/other/skill.md', skill('other'));
    expect(await names()).toEqual([]);
  });

  it('follows a link once and survives a circle', async () => {
    write('elsewhere/linked/SKILL.md', skill('linked'));
    mkdirSync(join(folder, 'repo', '.codex', 'skills'), { recursive: true });
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'repo', '.codex', 'skills', 'one'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'repo', '.codex', 'skills', 'two'));
    symlinkSync(join(folder, 'repo'), join(folder, 'repo', '.codex', 'skills', 'circle'));
    expect(await names()).toEqual(['linked']);
  });
});

describe('parseSkill', () => {
  it.each([
    ['plain', 'description: Fills forms.', 'Fills forms.'],
    ['quoted', 'description: "Fills: forms."', 'Fills: forms.'],
    ['folded', 'description: >-\n  Fills\n  forms.', 'Fills forms.'],
    ['literal', 'description: |\n  Fills\n  forms.\n', 'Fills\nforms.\n'],
    ['an unquoted colon', 'description: Use this: to fill forms', 'Use this: to fill forms'],
  ])('reads a description that is %s', async (_, line, expected) => {
    const { fields, body } = await parseSkill(`\uFEFF---\r\nname: forms\r\n${line}\n---\r\nBody\r\n`);
    expect(fields).toMatchObject({ name: 'forms', description: expected });
    expect(body).toBe('Body\n');
  });
});
