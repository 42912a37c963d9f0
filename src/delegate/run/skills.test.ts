import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { discoverSkills, parseSkill, type SkillLocations } from './skills.ts';

let folder: string;
let locations: SkillLocations;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'adjutant-skills-')));
  locations = {
    cwd: join(folder, 'repo', 'packages', 'web'),
    codexHome: join(folder, 'home', '.codex'),
    userHome: join(folder, 'home'),
    includeRepo: true,
    includeGlobal: true,
  };
  mkdirSync(locations.cwd, { recursive: true });
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
const names = async (given = locations) => (await discoverSkills(given)).skills.map(({ name }) => name);

describe('discoverSkills', () => {
  it('returns nothing for a missing folder', async () => {
    expect(await discoverSkills({ ...locations, cwd: join(folder, 'gone') })).toEqual({
      roots: { repo: [], global: [] },
      skills: [],
    });
  });

  it('searches the working folder and its parents first, then the global folders, without bundled skills', async () => {
    write('repo/packages/web/.agents/skills/near/SKILL.md', skill('near'));
    write('repo/.codex/skills/far/SKILL.md', skill('far'));
    write('.agents/skills/above/SKILL.md', skill('above'));
    write('home/.codex/skills/mine/SKILL.md', skill('mine'));
    write('home/.codex/skills/.system/bundled/SKILL.md', skill('bundled'));
    write('home/.agents/skills/shared/SKILL.md', skill('shared'));
    const { roots, skills } = await discoverSkills(locations);
    expect(skills.map(({ name, origin }) => `${origin}:${name}`)).toEqual([
      'repo:near',
      'repo:far',
      'repo:above',
      'global:mine',
      'global:shared',
    ]);
    expect(roots.repo[0]).toBe(join(locations.cwd, '.agents', 'skills'));
    expect(roots.global).toEqual([
      join(locations.codexHome, 'skills'),
      join(locations.userHome, '.agents', 'skills'),
    ]);
  });

  it('skips repository or global skills on request', async () => {
    write('repo/.codex/skills/far/SKILL.md', skill('far'));
    write('home/.codex/skills/mine/SKILL.md', skill('mine'));
    expect(await names({ ...locations, includeRepo: false })).toEqual(['mine']);
    expect(await names({ ...locations, includeGlobal: false })).toEqual(['far']);
  });

  it('treats the global folder as global even for a working folder below the home', async () => {
    write('home/.codex/skills/mine/SKILL.md', skill('mine'));
    mkdirSync(join(folder, 'home', 'notes'));
    const { skills } = await discoverSkills({ ...locations, cwd: join(folder, 'home', 'notes') });
    expect(skills.map(({ origin }) => origin)).toEqual(['global']);
    expect(await names({ ...locations, cwd: join(folder, 'home', 'notes'), includeGlobal: false })).toEqual(
      [],
    );
  });

  it('ignores world-writable parent folders', async () => {
    write('repo/.codex/skills/planted/SKILL.md', skill('planted'));
    chmodSync(join(folder, 'repo'), 0o777);
    expect(await names()).toEqual([]);
    expect(await names({ ...locations, cwd: join(folder, 'repo') })).toEqual(['planted']);
  });

  it('uses the parent folder if the working folder is a file', async () => {
    write('repo/.codex/skills/far/SKILL.md', skill('far'));
    expect(await names({ ...locations, cwd: write('repo/notes.txt', '') })).toEqual(['far']);
  });

  it('names a skill after its folder if the front matter is missing or invalid', async () => {
    write('repo/.codex/skills/bare/SKILL.md', '# No front matter\n');
    write('repo/.codex/skills/broken/SKILL.md', '---\nname: [\n---\nText\n');
    write('repo/.codex/skills/list/SKILL.md', '---\n- one\n---\nText\n');
    write('repo/.codex/skills/open/SKILL.md', '---\nname: never closed\n');
    expect(await names()).toEqual(['bare', 'broken', 'list', 'open']);
  });

  it('skips skills with delegator_exclude and files not named SKILL.md', async () => {
    write('repo/.codex/skills/own/SKILL.md', skill('own', 'delegator_exclude: true\n'));
    write('repo/.codex/skills/other/skill.md', skill('other'));
    expect(await names()).toEqual([]);
  });

  it('follows each symbolic link once and survives link cycles', async () => {
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
  ])('reads a description in YAML style: %s', async (_, line, expected) => {
    const { fields, body } = await parseSkill(`\uFEFF---\r\nname: forms\r\n${line}\n---\r\nBody\r\n`);
    expect(fields).toMatchObject({ name: 'forms', description: expected });
    expect(body).toBe('Body\n');
  });
});
