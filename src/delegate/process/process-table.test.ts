import { describe, expect, it } from 'vitest';
import { parseCimProcesses } from './process-table.ts';

describe('the process table of Windows', () => {
  const entry = { ProcessId: 4242, ParentProcessId: 7, Name: 'codex.exe', Born: 133766784000000000 };

  it('is a list, a single object or nothing', () => {
    const parsed = { pid: 4242, parent: 7, born: 'windows-133766784000000000', command: 'codex.exe' };
    expect(parseCimProcesses(JSON.stringify({ ...entry, CommandLine: null }))).toEqual([parsed]);
    expect(parseCimProcesses(JSON.stringify([{ ...entry, CommandLine: 'codex exec' }]))).toEqual([
      { ...parsed, command: 'codex exec' },
    ]);
    expect(parseCimProcesses('\r\n')).toEqual([]);
  });
});
