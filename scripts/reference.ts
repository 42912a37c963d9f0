// Writes the reference pages, the generated tables of other pages, the table of tools for src/toolsets and the schema of
// adjutant.toml from the code.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { withFolderTable } from './folder-table.ts';
import {
  commandReference,
  configurationReference,
  configurationSchema,
  standardFeatures,
  toolReference,
  toolTable,
  withChannelTable,
  withFormatTable,
  withScopeTable,
} from './reference-pages.ts';

writeFileSync('docs/configuration.md', configurationReference());
writeFileSync('docs/cli.md', await commandReference());
const features = await standardFeatures();
const tools = features.flatMap((feature) => feature.tools ?? []);
writeFileSync('docs/tools.md', toolReference(features));
writeFileSync('docs/security.md', withScopeTable(readFileSync('docs/security.md', 'utf8'), tools));
writeFileSync('docs/delivery.md', withChannelTable(readFileSync('docs/delivery.md', 'utf8')));
writeFileSync(
  'docs/prompt-formats.md',
  await withFormatTable(readFileSync('docs/prompt-formats.md', 'utf8')),
);
writeFileSync('docs/architecture.md', withFolderTable(readFileSync('docs/architecture.md', 'utf8')));
writeFileSync('src/toolsets/tools.json', toolTable(tools));
mkdirSync('schema', { recursive: true });
writeFileSync('schema/adjutant.schema.json', `${JSON.stringify(configurationSchema(), null, 2)}\n`);
