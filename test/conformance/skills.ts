import { join } from 'node:path';
import type { Feature } from '../../src/feature.ts';
import { createSkills } from '../../src/skills/skills.ts';

/** The real skills feature with the folder beside this file. */
export function createFixtureSkills(): Feature {
  return createSkills({
    folders: [join(import.meta.dirname, 'skills')],
    prompts: 'none',
    library: async () => [],
    libraryChanges: () => () => {},
    watch: () => ({ set() {}, problems: [], close() {} }),
  });
}
