import { useLoaded } from './server-connection.tsx';

/** A file that a run left, patches in colours. */
export function RunArtifact({ runId, name }: { runId: string; name: string }) {
  const uri = `runs://${runId}/${name.split('/').map(encodeURIComponent).join('/')}`;
  const { value, error } = useLoaded<{ contents: readonly { text?: string }[] }>(
    (client, signal) => client.request('resources/read', { uri, limit: 400_000 }, { signal }),
    [uri],
  );
  if (error) return <p class="problem">{error.message}</p>;
  const text = value?.contents[0]?.text ?? '';
  const patch = /\.(patch|diff)$/.test(name);
  return (
    <pre class="template artifact" tabIndex={0}>
      {patch
        ? text
            .split('\n')
            .map((line, index) => (
              <span
                key={index}
                class={line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : ''}
              >{`${line}\n`}</span>
            ))
        : text}
    </pre>
  );
}
