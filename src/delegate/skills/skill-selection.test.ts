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

  it('warns if no skill fits, even if the task shares common words with some', async () => {
    const { selected, warnings } = await selectSkills(
      { ...request, task: 'Write a small story about the stages of grief' },
      skills,
    );
    expect(selected).toEqual([]);
    expect(warnings).toEqual([
      'No skills matched task keywords; selected_skills is empty (use skills_mode=explicit to force selection).',
    ]);
  });

  it('reports score and reason of selected and rejected skills', async () => {
    const { selected, ranking } = await selectSkills(
      { ...request, task: 'Shrink the Docker image with multi-stage builds' },
      skills,
    );
    expect(selected).toEqual([
      {
        name: 'docker-images',
        description: 'Write small Dockerfiles: multi-stage builds and layer caching.',
        origin: 'repo',
        path: '/repo/docker-images/SKILL.md',
      },
    ]);
    expect(ranking[0]).toMatchObject({ name: 'docker-images', selected: true });
    expect(ranking[0]!.reason).toMatch(/docker \d/);
    expect(ranking.slice(1).every((one) => !one.selected)).toBe(true);
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
  it('reaches the required precision and recall', async () => {
    const { all, 'held-out': heldOut } = await measureSkills();
    expect(all['ranking']!.precision).toBeGreaterThan(0.957);
    expect(all['ranking']!.recall).toBeGreaterThan(0.84);
    expect(heldOut['ranking']!.precision).toBeGreaterThan(3 * heldOut['overlap']!.precision);
    expect(heldOut['ranking']!.f1).toBeGreaterThan(2 * heldOut['overlap']!.f1);
  });
});
