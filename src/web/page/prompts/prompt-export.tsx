import { useState } from 'preact/hooks';
import type { ToolArguments } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { asError, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { type ArchivedFile, zipArchive } from '../shared/zip-archive.ts';

export type Format = ToolArguments<'export_prompts'>['format'];

interface ListedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties?: { readonly format?: { readonly enum?: readonly Format[] } } };
}

/** The formats the server supports, from the schema of export_prompts. */
export function useFormats(): readonly Format[] {
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

export function FormatSelect({ formats, chosen, choose }: SelectProps) {
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

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** Downloads a single file directly and several files as one archive. */
export async function download(archive: string, files: readonly ArchivedFile[]): Promise<void> {
  const [only] = files;
  if (only === undefined) return;
  const content = files.length === 1 ? new Blob([only.text]) : await zipArchive(files);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = files.length === 1 ? only.path.replace(/^.*\//, '') : archive;
  link.click();
  URL.revokeObjectURL(link.href);
}
