import { useState } from 'preact/hooks';
import { RunArtifact } from './run-artifact.tsx';
import type { Artifact } from './run-record.ts';

interface Props {
  readonly runId: string;
  readonly artifacts: readonly Artifact[];
  /** The subfolder of the run folder that contains the files. */
  readonly folder?: string;
}

/** The files of a run. Clicking a file shows its content. */
export function RunFiles({ runId, artifacts, folder = '' }: Props) {
  const [open, setOpen] = useState<string | undefined>();
  const files = artifacts.filter(({ name }) => !name.endsWith('/'));
  if (files.length === 0) return <p class="quiet">No files yet.</p>;
  return (
    <>
      <p class="artifacts">
        {files.map(({ name }) => (
          <button
            key={name}
            type="button"
            class="small"
            aria-expanded={open === name}
            onClick={() => setOpen(open === name ? undefined : name)}
          >
            {name}
          </button>
        ))}
      </p>
      {open !== undefined && <RunArtifact runId={runId} name={`${folder}${open}`} />}
    </>
  );
}
