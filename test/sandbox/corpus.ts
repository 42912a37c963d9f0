import { argumentCases } from './argument-cases.ts';
import { fileCases } from './file-cases.ts';
import { gitCases } from './git-cases.ts';
import type { HostileCase } from './hostile-case.ts';
import { secretCases } from './secret-cases.ts';
import { settingsCases } from './settings-cases.ts';

/** Every attack, by the place it starts from. */
export const corpus: Readonly<Record<string, readonly HostileCase[]>> = {
  settings: settingsCases,
  git: gitCases,
  files: fileCases,
  arguments: argumentCases,
  secrets: secretCases,
};
