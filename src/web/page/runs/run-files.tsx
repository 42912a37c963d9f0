import { useState } from 'preact/hooks';
import { RunArtifact } from './run-artifact.tsx';
import type { Artifact } from './run-record.ts';

interface Props {
  readonly runId: string;
  readonly artifacts: readonly Artifact[];
  /** The folder they lie in, inside the one of the run. */
  readonly folder?: string;
}

/** The files that a run left, each to be read. */
export function RunFiles({ runId, artifacts, folder = '' }: Props) {
  const [open, setOpen] = useState<string | undefined>();
  const files = artifacts.filter(({ name }) => !name.endsWith('/'));
  if (files.length === 0) return <p class="quiet">Nothing yet.</p>;
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
