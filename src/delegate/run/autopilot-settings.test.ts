import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../config.ts';
import { type JobSetup, type PlannedJob, specify } from '../autopilot/plan.ts';
import { autopilotOptions } from './autopilot-settings.ts';

const options = async (env: Record<string, string>) =>
  autopilotOptions((await loadConfig({ argv: [], env: { HOME: '/nowhere', ...env }, cwd: '/' })).config);

const job: PlannedJob = {
  id: 'a',
  title: 'A',
  thinking_level: 'high',
  task: 'Do it.',
  sandbox: 'read-only',
  depends_on: [],
  skills: ['one', 'two'],
  acceptance: [],
};
const none = { low: undefined, medium: undefined, high: undefined };
const setup: JobSetup = {
  role: 'specialist',
  agent: 'codex',
  skillsMode: 'auto',
  skills: [],
  maxSkills: 6,
  models: none,
  efforts: none,
};

describe('models and reasoning efforts by thinking level', () => {
  it('come from the CODEX_AUTOPILOT_* variables that are not blank', async () => {
    const { models, efforts } = await options({
      CODEX_AUTOPILOT_MODEL_LOW: 'small',
      CODEX_AUTOPILOT_MODEL_MEDIUM: '',
      CODEX_AUTOPILOT_REASONING_EFFORT_HIGH: 'xhigh',
    });
    expect(models).toEqual({ low: 'small', medium: undefined, high: undefined });
    expect(efforts).toEqual({ low: undefined, medium: undefined, high: 'xhigh' });
  });

  it('are set on the job, the effort as a quoted config override', () => {
    const levels = { models: { ...none, high: 'large' }, efforts: { ...none, high: 'x"y' } };
    expect(specify(job, { ...setup, ...levels })).toMatchObject({
      model: 'large',
      config_overrides: ['model_reasoning_effort="x\\"y"'],
    });
    expect(specify(job, { ...setup, ...levels, agent: 'claude' })).toMatchObject({
      model: 'large',
      reasoning_effort: 'x"y',
    });
    // They are names of the configured agent.
    const other = specify({ ...job, agent: 'claude' }, { ...setup, ...levels });
    expect(other).not.toHaveProperty('model');
    expect(other).not.toHaveProperty('config_overrides');
    expect(specify(job, setup)).not.toHaveProperty('model');
    expect(specify(job, setup)).not.toHaveProperty('config_overrides');
  });
});

describe('the skills of a job', () => {
  it.each([
    ['auto', ['one', 'two'], { skills_mode: 'explicit', skills: ['one', 'two'] }],
    ['auto', [], { skills_mode: 'none' }],
    ['auto', undefined, { skills_mode: 'auto' }],
    ['none', ['one'], { skills_mode: 'none' }],
    ['explicit', ['one'], { skills_mode: 'explicit', skills: ['requested'] }],
  ] as const)('in mode %s with the planned skills %j are %j', (skillsMode, skills, expected) => {
    const { skills_mode, skills: given } = specify(
      { ...job, skills },
      { ...setup, skillsMode, skills: ['requested'] },
    );
    expect({ skills_mode, ...(given !== undefined && { skills: given }) }).toEqual(expected);
  });

  it('are limited to max_skills', () => {
    expect(specify(job, { ...setup, maxSkills: 1 }).skills).toEqual(['one']);
  });
});
