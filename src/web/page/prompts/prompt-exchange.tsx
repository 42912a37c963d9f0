import { useState } from 'preact/hooks';
import type { ToolArguments } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { Button, Choice, chosenFiles } from '../controls/fields.tsx';
import { counted } from '../controls/words.ts';
import { type Problem, ProblemList } from '../prompt-editing/problem-list.tsx';
import { useActions } from '../shared/actions.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';
import { type ArchivedFile, zipArchive } from '../shared/zip-archive.ts';

/** Imports prompt files of other programs and exports all prompts in their formats. */
export function PromptExchange() {
  const { readOnly, mayCall } = useConnection();
  const { client, act } = useActions();
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const { format, choice } = useFormat();
  const importFiles = (files: readonly File[]) =>
    act(async () => {
      const uploads = await Promise.all(
        files.map(async (file) => ({ path: file.name, text: await file.text() })),
      );
      const { imported, ...found } = await client.tool('import_prompts', {
        format: format!,
        files: uploads,
        full: true,
      });
      const undo = async () => {
        for (const { name, action } of imported)
          if (action === 'create') await client.tool('delete_prompt', { name });
      };
      setProblems(found.problems);
      return {
        text: `Imported ${counted(imported.length, 'prompt')}.`,
        ...(imported.length > 0 && { undo }),
      };
    });
  const exportAll = () =>
    act(async () => {
      const found = await client.tool('export_prompts', { format: format!, ...wholeList });
      setProblems(found.problems);
      return download(format!, found.files);
    });
  if (format === undefined) return null;
  return (
    <div class="exchange">
      <h1>Import and export</h1>
      <p class="quiet">
        Import prompt files of another program as JSONL prompts, or export all prompts as files for that
        program.
      </p>
      <div class="toolbar bare">
        <span class="inline">Format {choice}</span>
        {readOnly || !mayCall('import_prompts') ? (
          <ChangeButton tool="import_prompts">Import files</ChangeButton>
        ) : (
          <label class="button">
            Import files
            <input
              class="hidden"
              type="file"
              multiple
              onChange={(event) => importFiles(chosenFiles(event.currentTarget))}
            />
          </label>
        )}
        <Button onClick={exportAll}>Export all</Button>
      </div>
      {problems.length > 0 && (
        <section>
          <h2>Conversion problems</h2>
          <ProblemList problems={problems} />
        </section>
      )}
    </div>
  );
}

type Format = ToolArguments<'export_prompts'>['format'];

interface ListedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties?: { readonly format?: { readonly enum?: readonly Format[] } } };
}

/** The chosen format of those that the server supports, from the schema of export_prompts, and the field that chooses it. */
function useFormat() {
  const [chosen, setChosen] = useState<Format | undefined>();
  const { value: formats = [] } = useLoaded<readonly Format[]>(async (mcp, signal) => {
    let tools: readonly ListedTool[] = [];
    await mcp.all<ListedTool>('tools/list', 'tools', (found) => (tools = found), signal);
    return tools.find(({ name }) => name === 'export_prompts')?.inputSchema.properties?.format?.enum ?? [];
  }, []);
  const format = chosen ?? formats[0];
  const options = formats.map((one) => [one, one] as const);
  return {
    format,
    choice: format && <Choice name="Format" value={format} options={options} change={setChosen} />,
  };
}

/** Exports the named prompts in a format that can be chosen. */
export function ExportButton({ names, disabled }: { names: readonly string[]; disabled: boolean }) {
  const { client, act } = useActions();
  const { format, choice } = useFormat();
  const run = () =>
    act(async () => {
      const { files } = await client.tool('export_prompts', { format: format!, names, ...wholeList });
      return download(format!, files);
    });
  if (format === undefined) return null;
  return (
    <span class="joined">
      {choice}
      <Button class="small" disabled={disabled} onClick={run}>
        Export
      </Button>
    </span>
  );
}

/** Downloads a single file directly and several files as one archive. */
async function download(format: Format, files: readonly ArchivedFile[]): Promise<{ text: string }> {
  const text = `Exported ${counted(files.length, 'file')}.`;
  const [only] = files;
  if (only === undefined) return { text };
  const content = files.length === 1 ? new Blob([only.text]) : await zipArchive(files);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = files.length === 1 ? only.path.replace(/^.*\//, '') : `prompts-${format}.zip`;
  link.click();
  URL.revokeObjectURL(link.href);
  return { text };
}
