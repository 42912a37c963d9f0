import { dirname } from 'node:path';
import type { RunHooks, RunRequest } from '../record/run-request.ts';
import { findPlace, type Place, type PlaceOptions } from '../workspace/run-place.ts';
import { watchCancellation } from './follower.ts';
import type { RunQueue } from './run-queue.ts';

type PlacementOptions = Omit<PlaceOptions, 'stateDir' | 'ignored'> & {
  readonly queueFile: string;
  readonly runsDir: string;
};

/** Finds the place where a writing run works. Returns `undefined` if the run is cancelled while it waits for its folder. */
export async function placeRun(
  { directory, cwd, isolate = false }: RunRequest,
  { signal }: RunHooks,
  queue: RunQueue,
  options: PlacementOptions,
): Promise<Place | undefined> {
  const { queueFile, runsDir } = options;
  using cancellation = watchCancellation(signal, queue, directory.path);
  try {
    const placeOptions = { ...options, stateDir: dirname(queueFile), ignored: [runsDir] };
    return await findPlace(directory, cwd, isolate, placeOptions, cancellation.signal);
  } catch (error) {
    if (!cancellation.signal.aborted) throw error;
    return undefined;
  }
}

/** The request of a run that works in another place than the folder itself. */
export function atPlace(request: RunRequest, { cwd, overlay, warning }: Place): RunRequest {
  const notice =
    cwd === request.cwd
      ? ''
      : `You work in a copy of ${request.cwd}. If an instruction names a path below that folder, use the same path below your working directory, ${cwd}.\n\n`;
  return {
    ...request,
    prompt: notice + request.prompt,
    cwd,
    origin: request.cwd,
    ...(overlay && { overlay }),
    warnings: [...(request.warnings ?? []), ...(warning === undefined ? [] : [warning])],
  };
}
