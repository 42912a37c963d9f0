import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Settings of the person who runs the tests, which must not become those of the servers under test. */
const personal =
  /^(ADJUTANT_|CODEX_|CLAUDE_|HEXAI_|TWIG_|XDG_|GIT_|SMTP_|PG[A-Z]|LC_|LANG|TZ$|NO_COLOR$|FORCE_COLOR$|EDITOR$|VISUAL$)/;

/**
 * Gives this process, and all it starts, a temporary folder of its own and no personal settings, so that nothing depends on
 * who runs the tests, or ran them before. Returns how to remove the folder.
 */
export function enterPrivateEnvironment(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-tests-'));
  // Some tests of root start programs as another user, who must get to their folders.
  if (process.getuid?.() === 0) chmodSync(folder, 0o711);
  for (const name of Object.keys(process.env)) if (personal.test(name)) delete process.env[name];
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
  const gitConfig = join(folder, 'gitconfig');
  // Whoever owns the clone, the tests may read it.
  writeFileSync(gitConfig, '[safe]\n\tdirectory = *\n');
  process.env['GIT_CONFIG_GLOBAL'] = gitConfig;
  process.umask(0o022);
  return () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      // What a test has left behind does not change what the tests found out.
      process.stderr.write(`${folder} could not be removed: ${(error as Error).message}\n`);
    }
  };
}

/** For Vitest, whose workers inherit the environment. */
export default enterPrivateEnvironment;
