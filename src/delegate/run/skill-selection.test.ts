import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureSkills } from '../../../bench/skills.ts';
import { selectSkills } from './skill-selection.ts';
import type { IndexedSkill } from './skills.ts';

const skill = (name: string, description: string, origin: 'repo' | 'global' = 'repo'): IndexedSkill => ({
  name,
  description,
  origin,
  path: `/${origin}/${name}/SKILL.md`,
  opening: '',
});
const skills = [
  skill('docker-images', 'Write small Dockerfiles: multi-stage builds and layer caching.'),
  skill('release-notes', 'Write changelogs and release notes from merged pull requests.'),
  skill('Release-Notes', 'The global skill of the same name.', 'global'),
];
const request = { mode: 'auto', task: '', requested: [], maxSkills: 6 } as const;

describe('selectSkills in mode explicit', () => {
  it('fails without names and with an unknown name', async () => {
    const explicit = { ...request, mode: 'explicit' } as const;
    expect((await selectSkills(explicit, skills)).errors).toEqual(['skills_mode=explicit requires skills[]']);
    const missing = await selectSkills(
      { ...explicit, requested: ['docker-images', 'a', 'dokcer-images'] },
      skills,
    );
    expect(missing.errors).toEqual(['Missing requested skills: a, dokcer-images']);
    expect(missing.warnings).toEqual(['There is no skill "dokcer-images"; did you mean "docker-images"?']);
    expect(missing.selected).toEqual([]);
  });

  it('ignores case and the limit, and prefers skills of the repository', async () => {
    const { selected, warnings, errors } = await selectSkills(
      {
        ...request,
        mode: 'explicit',
        requested: ['RELEASE-NOTES', 'docker-images', 'Docker-Images'],
        maxSkills: 1,
      },
      skills,
    );
    expect(errors).toEqual([]);
    expect(selected.map(({ path }) => path)).toEqual([
      '/repo/release-notes/SKILL.md',
      '/repo/docker-images/SKILL.md',
    ]);
    expect(warnings).toEqual([
      'Multiple skills matched "RELEASE-NOTES", selected repo:release-notes (/repo/release-notes/SKILL.md)',
    ]);
  });
});

describe('selectSkills in mode auto', () => {
  it('fails without a task', async () => {
    expect((await selectSkills({ ...request, task: ' \n' }, skills)).errors).toEqual([
      'skills_mode=auto requires non-empty task',
    ]);
  });

  it('warns if no skill shares a word with the task', async () => {
    const { selected, warnings } = await selectSkills(
      { ...request, task: 'Sing a song about grief' },
      skills,
    );
    expect(selected).toEqual([]);
    expect(warnings).toEqual([
      'No skills matched task keywords; selected_skills is empty (use skills_mode=explicit to force selection).',
    ]);
  });

  it('says why each skill is offered, also by words that mean nearly the same', async () => {
    const task =
      'Shrink the container with multi-stage builds, and tell customers what changed in the release';
    const { selected, ranking } = await selectSkills({ ...request, task, maxSkills: 1 }, skills);
    expect(selected).toEqual([
      {
        name: 'docker-images',
        description: 'Write small Dockerfiles: multi-stage builds and layer caching.',
        origin: 'repo',
        path: '/repo/docker-images/SKILL.md',
        reason: expect.stringMatching(/stage.*contain \(docker\)|contain \(docker\).*stage/),
      },
    ]);
    expect(ranking).toMatchObject([
      { name: 'docker-images', selected: true, score: expect.any(Number) },
      { name: 'release-notes', selected: false, reason: expect.stringContaining('releas') },
    ]);
  });

  it('finds an obvious skill by a single word of its name', async () => {
    const found = await selectSkills({ ...request, task: 'Review the pull request' }, [
      ...skills,
      skill('code-review', 'Looks for bugs and missing tests in a change.'),
    ]);
    expect(found.selected.map(({ name }) => name)).toContain('code-review');
  });

  it.each([
    ['German', 'Prüfe bitte die Kündigungsfrist und die Haftung im Vertrag', 'agreements'],
    ['Spanish', 'Analiza las encuestas del trimestre', 'survey-analysis'],
    ['French', 'Traduis les textes de l’interface', 'localization'],
    ['the form of a version', 'Everything for 4.8.0 should be out on Thursday', 'shipping'],
    ['the name of a column', 'Split orders.full_name in two', 'migrations'],
  ])('finds a skill in English by %s', async (_, task, name) => {
    const { selected } = await selectSkills({ ...request, task }, [
      skill('agreements', 'Reads a contract and its clauses on liability.'),
      skill('survey-analysis', 'Analysis of a survey.'),
      skill('localization', 'Translation of user interfaces.'),
      skill('shipping', 'Prepares a release of a version.'),
      skill('migrations', 'Changes the tables of a database.'),
    ]);
    expect(selected[0]?.name).toBe(name);
  });

  it('selects a skill that the task mentions by name', async () => {
    const named = async (task: string) =>
      (await selectSkills({ ...request, task }, skills)).selected.map(({ name }) => name);
    expect(await named('Use $release-notes')).toEqual(['release-notes']);
    expect(await named('Follow release-notes here')).toEqual(['release-notes']);
    const { ranking } = await selectSkills({ ...request, task: 'The pre-release-notes-v2 branch' }, skills);
    expect(ranking[0]).toMatchObject({ name: 'release-notes', reason: expect.not.stringContaining('named') });
  });

  it('never exceeds the limit and never selects a skill twice, for any text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string()), { maxLength: 8 }),
        fc.integer({ min: 0, max: 4 }),
        async (task, texts, maxSkills) => {
          const generated = texts.map(([name, description]) => skill(name, description));
          const { selected, ranking } = await selectSkills({ ...request, task, maxSkills }, generated);
          expect(selected.length).toBeLessThanOrEqual(maxSkills);
          expect(new Set(selected.map(({ name }) => name.toLowerCase())).size).toBe(selected.length);
          expect(ranking.every(({ score }) => Number.isFinite(score) && score >= 0)).toBe(true);
        },
      ),
    );
  });
});

describe('selectSkills on the labelled tasks', () => {
  it('offers the right skill among three more often than word overlap', async () => {
    const { ranking, overlap } = await measureSkills();
    expect(ranking!.found / ranking!.labels).toBeGreaterThan(0.95);
    expect(ranking!.found).toBeGreaterThan(overlap!.found);
  });
});
