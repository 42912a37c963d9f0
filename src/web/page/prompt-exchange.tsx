import { useState } from 'preact/hooks';
import { asError, useConnection } from './server-connection.tsx';
import { useToast } from './toast.tsx';

const formats = [
  'claude-code',
  'claude-skills',
  'codex',
  'vscode',
  'gemini',
  'fabric',
  'dotprompt',
  'commands',
  'jsonl',
  'twig',
] as const;

interface PromptFile {
  readonly path: string;
  readonly text: string;
}

/** Takes prompt files of other programs in and gives ours out in their forms. */
export function PromptExchange() {
  const { client } = useConnection();
  const toast = useToast();
  const [format, setFormat] = useState<string>(formats[0]);
  const guard = async (work: () => Promise<string>) => {
    try {
      toast({ text: await work() });
    } catch (error) {
      toast({ text: asError(error).message });
    }
  };
  const take = (files: FileList | null) =>
    guard(async () => {
      const given = await Promise.all(
        [...(files ?? [])].map(async (file) => ({ path: file.name, text: await file.text() })),
      );
      const { imported, problems } = await client.tool<{ imported: unknown[]; problems: unknown[] }>(
        'import_prompts',
        { format, files: given },
      );
      return `${imported.length} prompts are in${problems.length > 0 ? `, ${problems.length} things could not be taken over` : ''}.`;
    });
  const give = () =>
    guard(async () => {
      const { files, problems } = await client.tool<{ files: PromptFile[]; problems: unknown[] }>(
        'export_prompts',
        { format },
      );
      for (const { path, text } of files) download(path.replaceAll('/', '-'), text);
      return `${files.length} files${problems.length > 0 ? `; ${problems.length} things have no counterpart there` : ''}.`;
    });
  return (
    <details class="exchange">
      <summary>Import and export</summary>
      <div class="toolbar bare">
        <label class="inline">
          Format{' '}
          <select value={format} onChange={(event) => setFormat(event.currentTarget.value)}>
            {formats.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label class="button">
          Import
          <input class="hidden" type="file" multiple onChange={(event) => take(event.currentTarget.files)} />
        </label>
        <button type="button" onClick={give}>
          Export
        </button>
      </div>
    </details>
  );
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
