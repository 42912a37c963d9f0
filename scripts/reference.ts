// Writes docs/configuration.md, docs/tools.md, the scopes in docs/security.md and the schema of adjutant.toml from the code.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { configurationSchema } from '../src/cli/configuration-schema.ts';
import { configurationReference, toolReference } from '../src/cli/reference.ts';
import { withScopeTable } from '../src/cli/scope-table.ts';

writeFileSync('docs/configuration.md', configurationReference());
writeFileSync('docs/tools.md', await toolReference());
writeFileSync('docs/security.md', withScopeTable(readFileSync('docs/security.md', 'utf8')));
mkdirSync('schema', { recursive: true });
writeFileSync('schema/adjutant.schema.json', `${JSON.stringify(configurationSchema(), null, 2)}\n`);
