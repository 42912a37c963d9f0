// Packs dist as an MCP bundle, which desktop clients install with one click: `npm run mcpb [-- FILE]`.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const about = JSON.parse(readFileSync('package.json', 'utf8'));
const manifest = {
  manifest_version: '0.3',
  name: about.name,
  display_name: 'Adjutant',
  version: about.version,
  description: about.description,
  author: { name: about.author },
  repository: about.repository,
  homepage: about.homepage,
  support: about.bugs,
  license: about.license,
  keywords: about.keywords,
  server: {
    type: 'node',
    entry_point: 'dist/adjutant.cjs',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: The client replaces it with the folder of the bundle.
    mcp_config: { command: 'node', args: ['${__dirname}/dist/adjutant.cjs', 'serve'], env: {} },
  },
  // The prompts and most tools depend on the user's files and settings.
  tools_generated: true,
  prompts_generated: true,
  compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: about.engines.node } },
};

const output = resolve(process.argv[2] ?? `${about.name}-${about.version}.mcpb`);
const folder = mkdtempSync(join(tmpdir(), 'adjutant-mcpb-'));
const mcpb = (...args) =>
  execFileSync(
    process.execPath,
    ['test/components/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js', ...args],
    {
      stdio: ['ignore', 2, 2],
    },
  );
try {
  // The code cache fits only the Node version of the build.
  cpSync('dist', join(folder, 'dist'), { recursive: true, filter: (path) => !path.endsWith('.cache') });
  for (const file of ['LICENSE', 'README.md']) cpSync(file, join(folder, file));
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  mcpb('validate', join(folder, 'manifest.json'));
  mcpb('pack', folder, output);
  process.stdout.write(`${basename(output)}\n`);
} finally {
  rmSync(folder, { recursive: true });
}
