import type { ComponentChildren } from 'preact';
import type { ContentsReply } from '../../../api.ts';
import { useLoaded } from '../shared/server-connection.tsx';
import { PatchView } from './patch-view.tsx';

/** Longer files are truncated. */
const maxBytes = 2_000_000;

interface Props {
  readonly runId: string;
  readonly name: string;
  /** Shown below the changes of each file of a patch. */
  readonly file?: (path: string) => ComponentChildren;
}

/** Shows a file of a run. Patches are shown as a diff. */
export function RunArtifact({ runId, name, file }: Props) {
  const { text, error } = useArtifact(runId, name);
  if (error !== undefined) return <p class="problem">{error}</p>;
  if (text === undefined) return <p class="quiet">Loading…</p>;
  const isTruncated = new Blob([text]).size > maxBytes - 4;
  return (
    <>
      {isTruncated && <p class="quiet">Only the beginning is shown. The full file is in the run folder.</p>}
      {/\.(patch|diff)$/.test(name) ? (
        <PatchView text={text} {...(file && { footer: file })} />
      ) : (
        <pre class="template artifact" tabIndex={0}>
          {formatText(name, text)}
        </pre>
      )}
    </>
  );
}

function useArtifact(
  runId: string,
  name: string,
): { readonly text: string | undefined; readonly error: string | undefined } {
  const uri = `runs://${runId}/${name.split('/').map(encodeURIComponent).join('/')}`;
  const { value, error } = useLoaded<ContentsReply>(
    (client, signal) => client.request('resources/read', { uri, limit: maxBytes }, { signal }),
    [uri],
  );
  return { text: value && textOf(value), error: error?.message };
}

function textOf({ contents: [first] }: ContentsReply): string {
  return first !== undefined && 'text' in first ? first.text : '';
}

function formatText(name: string, text: string): string {
  if (text.trim() === '') return 'This file is empty.';
  if (!name.endsWith('.json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
