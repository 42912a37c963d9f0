import { useState } from 'preact/hooks';
import type { ToolArguments } from '../../../api.ts';
import { chosenFiles } from '../shared/chosen-files.ts';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { type ArchivedFile, zipArchive } from '../shared/zip-archive.ts';
import { type Problem, ProblemList } from './prompt-problems.tsx';

type Format = ToolArguments<'import_prompts'>['format'];

interface ListedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties?: { readonly format?: { readonly enum?: readonly Format[] } } };
}

/** Takes prompt files of other programs in and gives ours out in their forms. */
export function PromptExchange() {
  const { client } = useConnection();
  const toast = useToast();
  const [chosen, setChosen] = useState<Format | undefined>();
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  // The server says itself which forms it knows.
  const { value: formats = [] } = useLoaded<readonly Format[]>(async (with_, signal) => {
    let tools: readonly ListedTool[] = [];
    await with_.all<ListedTool>('tools/list', 'tools', (found) => (tools = found), signal);
    return tools.find(({ name }) => name === 'import_prompts')?.inputSchema.properties?.format?.enum ?? [];
  }, []);
  const format = chosen ?? formats[0];
  const guard = async (work: () => Promise<{ text: string; problems: readonly Problem[] }>) => {
    try {
      const { text, problems: found } = await work();
      setProblems(found);
      toast({ text });
    } catch (error) {
      toast({ text: asError(error).message });
    }
  };
  const take = (files: readonly File[]) =>
    guard(async () => {
      const given = await Promise.all(
        files.map(async (file) => ({ path: file.name, text: await file.text() })),
      );
      const { imported, ...found } = await client.tool('import_prompts', { format: format!, files: given });
      return { text: `${counted(imported.length, 'prompt')} came in.`, ...found };
    });
  const give = () =>
    guard(async () => {
      const { files, ...found } = await client.tool('export_prompts', { format: format! });
      await save(`prompts-${format}.zip`, files);
      return { text: `${counted(files.length, 'file')} went out.`, ...found };
    });
  if (format === undefined) return null;
  return (
    <div class="exchange">
      <h1>Import and export</h1>
      <p class="quiet">
        Prompts of other programs come in as JSONL prompts; all prompts go out as files of theirs.
      </p>
      <div class="toolbar bare">
        <label class="inline">
          Format{' '}
          <select value={format} onChange={(event) => setChosen(event.currentTarget.value as Format)}>
            {formats.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label class="button">
          Import files
          <input
            class="hidden"
            type="file"
            multiple
            onChange={(event) => take(chosenFiles(event.currentTarget))}
          />
        </label>
        <button type="button" onClick={give}>
          Export all
        </button>
      </div>
      {problems.length > 0 && (
        <section>
          <h2>What is not as it was</h2>
          <ProblemList problems={problems} />
        </section>
      )}
    </div>
  );
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** One file as it is, several as an archive: nobody wants to confirm a hundred downloads. */
async function save(archive: string, files: readonly ArchivedFile[]): Promise<void> {
  const [only] = files;
  if (only === undefined) return;
  const content = files.length === 1 ? new Blob([only.text]) : await zipArchive(files);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = files.length === 1 ? only.path.replace(/^.*\//, '') : archive;
  link.click();
  URL.revokeObjectURL(link.href);
}
