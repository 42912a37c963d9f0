import type { ContentsReply } from '../../../api.ts';
import { useLoaded } from '../shared/server-connection.tsx';
import { PatchView } from './patch-view.tsx';

/** Of a longer file the beginning is shown. */
const mostBytes = 2_000_000;

/** A file that a run left; a patch as what it changes. */
export function RunArtifact({ runId, name }: { runId: string; name: string }) {
  const { text, error } = useArtifact(runId, name);
  if (error !== undefined) return <p class="problem">{error}</p>;
  if (text === undefined) return <p class="quiet">Asking the server…</p>;
  const isCut = new Blob([text]).size > mostBytes - 4;
  return (
    <>
      {isCut && <p class="quiet">This is the beginning; the whole file lies in the folder of the run.</p>}
      {/\.(patch|diff)$/.test(name) ? (
        <PatchView text={text} />
      ) : (
        <pre class="template artifact" tabIndex={0}>
          {pretty(name, text)}
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
    (client, signal) => client.request('resources/read', { uri, limit: mostBytes }, { signal }),
    [uri],
  );
  return { text: value && textOf(value), error: error?.message };
}

function textOf({ contents: [first] }: ContentsReply): string {
  return first !== undefined && 'text' in first ? first.text : '';
}

function pretty(name: string, text: string): string {
  if (text.trim() === '') return 'This file is empty.';
  if (!name.endsWith('.json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
