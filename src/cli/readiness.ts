import type { Config } from '../config.ts';
import type { Finding } from '../feature.ts';
import { messageOf } from '../json.ts';

/** How long the checks may take. Probes usually wait for a few seconds. */
const limitMs = 3000;
/** How long their result is used again, because anybody can send probes. */
const reusedMs = 2000;

interface Checked {
  check(): Promise<readonly Finding[]>;
}

/** The checks of a server that `/readyz` reports: database, worker, last delivery and disk. */
export function createReadiness(
  config: Config,
  delivery: Checked | undefined,
): () => Promise<readonly Finding[]> {
  let latest: Promise<readonly Finding[]> | undefined;
  const check = async () => {
    const { checkDisks } = await import('./doctor/checks-machine.ts');
    const found = await Promise.all([
      within('Database', delivery?.check() ?? Promise.resolve([])),
      within('Disk', checkDisks(config)),
    ]);
    return found.flat();
  };
  return () => {
    if (latest === undefined) {
      latest = check();
      const forget = () => setTimeout(() => (latest = undefined), reusedMs).unref();
      latest.then(forget, forget);
    }
    return latest;
  };
}

/** A check that fails or takes too long is a finding. */
async function within(title: string, checking: Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Finding[]>((resolve) => {
    const finding: Finding = { title, state: 'bad', detail: `no answer within ${limitMs / 1000} s` };
    timer = setTimeout(() => resolve([finding]), limitMs);
  });
  const failed = (error: unknown): readonly Finding[] => [{ title, state: 'bad', detail: messageOf(error) }];
  try {
    return await Promise.race([checking.catch(failed), late]);
  } finally {
    clearTimeout(timer);
  }
}
