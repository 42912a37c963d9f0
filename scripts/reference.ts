// Writes docs/configuration.md and docs/tools.md from the settings and the tools themselves.
import { writeFileSync } from 'node:fs';
import { configurationReference, toolReference } from '../src/cli/reference.ts';

writeFileSync('docs/configuration.md', configurationReference());
writeFileSync('docs/tools.md', await toolReference());
