import { useState } from 'preact/hooks';
import type { ToolArguments } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { chosenFiles } from '../controls/fields.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { type Toast, useToast } from '../shared/toast.tsx';
import { type ArchivedFile, zipArchive } from '../shared/zip-archive.ts';
import { type Problem, ProblemList } from './prompt-problems.tsx';

/** Imports prompt files of other programs and exports all prompts in their formats. */
export function PromptExchange() {
  const { client, readOnly } = useConnection();
  const toast = useToast();
  const [chosen, setChosen] = useState<Format | undefined>();
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const formats = useFormats();
  const format = chosen ?? formats[0];
  const runAndReport = async (work: () => Promise<Toast & { readonly problems: readonly Problem[] }>) => {
    try {
      const { problems: found, ...report } = await work();
      setProblems(found);
      toast(report);
    } catch (error) {
      toast({ text: asError(error).message });
    }
  };
  const importFiles = (files: readonly File[]) =>
    runAndReport(async () => {
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
      return {
        text: `Imported ${counted(imported.length, 'prompt')}.`,
        ...(imported.length > 0 && { undo }),
        ...found,
      };
    });
  const exportAll = () =>
    runAndReport(async () => {
      const { files, ...found } = await client.tool('export_prompts', { format: format!, ...wholeList });
      await download(`prompts-${format}.zip`, files);
      return { text: `Exported ${counted(files.length, 'file')}.`, ...found };
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
        <span class="inline">
          Format <FormatSelect formats={formats} chosen={format} choose={setChosen} />
        </span>
        {readOnly ? (
          <ChangeButton>Import files</ChangeButton>
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
        <button type="button" onClick={exportAll}>
          Export all
        </button>
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

/** The formats the server supports, from the schema of export_prompts. */
function useFormats(): readonly Format[] {
  const { value = [] } = useLoaded<readonly Format[]>(async (mcp, signal) => {
    let tools: readonly ListedTool[] = [];
    await mcp.all<ListedTool>('tools/list', 'tools', (found) => (tools = found), signal);
    return tools.find(({ name }) => name === 'export_prompts')?.inputSchema.properties?.format?.enum ?? [];
  }, []);
  return value;
}

interface SelectProps {
  readonly formats: readonly Format[];
  readonly chosen: Format;
  choose(format: Format): void;
}

function FormatSelect({ formats, chosen, choose }: SelectProps) {
  return (
    <select
      aria-label="Format"
      value={chosen}
      onChange={(event) => choose(event.currentTarget.value as Format)}
    >
      {formats.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

/** Exports the named prompts in a format that can be chosen. */
export function ExportButton({ names, disabled }: { names: readonly string[]; disabled: boolean }) {
  const { client } = useConnection();
  const toast = useToast();
  const formats = useFormats();
  const [chosen, setChosen] = useState<Format | undefined>();
  const format = chosen ?? formats[0];
  const run = async () => {
    try {
      const { files } = await client.tool('export_prompts', { format: format!, names, ...wholeList });
      await download(`prompts-${format}.zip`, files);
      toast({ text: `Exported ${counted(files.length, 'file')}.` });
    } catch (error) {
      toast({ text: asError(error).message });
    }
  };
  if (format === undefined) return null;
  return (
    <span class="joined">
      <FormatSelect formats={formats} chosen={format} choose={setChosen} />
      <button type="button" class="small" disabled={disabled} onClick={run}>
        Export
      </button>
    </span>
  );
}

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** Downloads a single file directly and several files as one archive. */
async function download(archive: string, files: readonly ArchivedFile[]): Promise<void> {
  const [only] = files;
  if (only === undefined) return;
  const content = files.length === 1 ? new Blob([only.text]) : await zipArchive(files);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = files.length === 1 ? only.path.replace(/^.*\//, '') : archive;
  link.click();
  URL.revokeObjectURL(link.href);
}
