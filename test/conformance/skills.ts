import { join } from 'node:path';
import type { Feature } from '../../src/feature.ts';
import { MountSource } from '../../src/prompts/mounts/mount.ts';
import { createSkills } from '../../src/skills/skills.ts';

/** The real skills feature with the folder beside this file. */
export function createFixtureSkills(): Feature {
  const source = new MountSource({ format: 'claude-skills', path: join(import.meta.dirname, 'skills') });
  return createSkills({
    prompts: 'none',
    library: () => source.list(),
    libraryChanges: () => () => {},
    watch: () => ({ set() {}, problems: [], close() {} }),
  });
}
