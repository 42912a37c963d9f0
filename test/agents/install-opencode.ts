import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from '../npm.ts';

/** The version that the adapter was tested with. */
const version = '1.18.33';

/** Installs opencode into `.cache/clients`. It is too large for the components of the tests. */
export function installOpencode(): void {
  const folder = join(import.meta.dirname, '..', '..', '.cache', 'clients', `opencode-ai-${version}`);
  if (existsSync(join(folder, 'node_modules'))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  npm(folder, 'install', '--no-audit', '--no-fund', `opencode-ai@${version}`);
}
