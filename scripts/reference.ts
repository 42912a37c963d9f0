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

writeFileSync('docs/reference/configuration.md', configurationReference());
writeFileSync('docs/reference/cli.md', await commandReference());
const features = await standardFeatures();
const tools = features.flatMap((feature) => feature.tools ?? []);
writeFileSync('docs/reference/tools.md', toolReference(features));
writeFileSync(
  'docs/explanation/security.md',
  withScopeTable(readFileSync('docs/explanation/security.md', 'utf8'), tools),
);
writeFileSync(
  'docs/reference/delivery.md',
  withChannelTable(readFileSync('docs/reference/delivery.md', 'utf8')),
);
writeFileSync(
  'docs/guides/use-prompts-from-other-clients.md',
  await withFormatTable(readFileSync('docs/guides/use-prompts-from-other-clients.md', 'utf8')),
);
writeFileSync(
  'docs/contributing/architecture.md',
  withFolderTable(readFileSync('docs/contributing/architecture.md', 'utf8')),
);
writeFileSync('src/toolsets/tools.json', toolTable(tools));
mkdirSync('schema', { recursive: true });
writeFileSync('schema/adjutant.schema.json', `${JSON.stringify(configurationSchema(), null, 2)}\n`);
