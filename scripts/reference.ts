// Writes docs/configuration.md, docs/tools.md and the schema of adjutant.toml from the settings and the tools themselves.
import { mkdirSync, writeFileSync } from 'node:fs';
import { configurationSchema } from '../src/cli/configuration-schema.ts';
import { configurationReference, toolReference } from '../src/cli/reference.ts';

writeFileSync('docs/configuration.md', configurationReference());
writeFileSync('docs/tools.md', await toolReference());
mkdirSync('schema', { recursive: true });
writeFileSync('schema/adjutant.schema.json', `${JSON.stringify(configurationSchema(), null, 2)}\n`);
