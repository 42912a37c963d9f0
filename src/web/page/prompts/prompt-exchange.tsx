import { useState } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { ChangeButton } from '../shared/change-button.tsx';
import { chosenFiles } from '../shared/chosen-files.ts';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { type Toast, useToast } from '../shared/toast.tsx';
import { counted, download, type Format, FormatSelect, useFormats } from './prompt-export.tsx';
import { type Problem, ProblemList } from './prompt-problems.tsx';

/** Imports prompt files of other programs and exports all prompts in their formats. */
export default function PromptExchange() {
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
        ...(imported.length > 0 && { action: { label: 'Undo', run: undo } }),
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
