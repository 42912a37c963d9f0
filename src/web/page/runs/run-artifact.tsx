import { useMemo } from 'preact/hooks';
import type { ContentsReply } from '../../../api.ts';
import { Loading } from '../controls/loading.tsx';
import { useLoaded } from '../shared/server-connection.tsx';
import { parsePatch } from './patch.ts';
import { PatchView } from './patch-view.tsx';

/** Longer files are truncated. */
const maxBytes = 2_000_000;

interface Props {
  readonly runId: string;
  readonly name: string;
}

/** Shows a file of a run. Patches are shown as a diff. */
export function RunArtifact({ runId, name }: Props) {
  const { text, error } = useArtifact(runId, name);
  if (error !== undefined) return <p class="problem">{error}</p>;
  if (text === undefined) return <Loading />;
  return (
    <>
      <TruncationNote text={text} />
      {/\.(patch|diff)$/.test(name) ? (
        <Patch text={text} />
      ) : (
        <pre class="template artifact" tabIndex={0}>
          {formatText(name, text)}
        </pre>
      )}
    </>
  );
}

function Patch({ text }: { readonly text: string }) {
  return <PatchView files={useMemo(() => parsePatch(text), [text])} text={text} />;
}

export function TruncationNote({ text }: { readonly text: string }) {
  const isTruncated = useMemo(() => new Blob([text]).size > maxBytes - 4, [text]);
  if (!isTruncated) return null;
  return <p class="quiet">Only the beginning is shown. The full file is in the run folder.</p>;
}

/** The text of a file of a run. */
export function useArtifact(
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
