import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Variables of the user who runs the tests. Servers under test must not inherit them. */
const personal =
  /^(ADJUTANT_|CODEX_|CLAUDE_|HEXAI_|TWIG_|XDG_|GIT_|SMTP_|PG[A-Z]|LC_|LANG|TZ$|NO_COLOR$|FORCE_COLOR$|EDITOR$|VISUAL$)/;

/**
 * Gives this process and its children a private temporary folder and removes personal settings, so that tests do not depend on
 * who runs them. Returns a function that removes the folder.
 */
export function enterPrivateEnvironment(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-tests-'));
  // As root, some tests start programs as another user, who must be able to enter the folder.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711);
  for (const name of Object.keys(process.env)) if (personal.test(name)) delete process.env[name];
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
  const gitConfig = join(folder, 'gitconfig');
  // Git must accept the clone even if another user owns it.
  writeFileSync(gitConfig, '[safe]\n\tdirectory = *\n');
  process.env['GIT_CONFIG_GLOBAL'] = gitConfig;
  // People and dates must be the same in every place.
  process.env['TZ'] = 'UTC';
  process.umask(0o022);
  return () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      // A folder that cannot be removed must not fail the tests.
      process.stderr.write(`cannot remove ${folder}: ${(error as Error).message}\n`);
    }
  };
}

/** Vitest calls this before it starts its workers, which inherit the environment. */
export default enterPrivateEnvironment;
