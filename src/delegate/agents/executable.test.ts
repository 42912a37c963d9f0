import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { codexShim } from '../../../test/delegate/workbench.ts';
import { plantTree } from '../../../test/tree.ts';
import { findExecutable, resolveNpmShim } from './executable.ts';

type CreateShim = (from: string, to: string) => Promise<void>;

/** The part of npm that creates `.cmd` files on Windows. */
function loadCmdShim(): CreateShim | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const npm = folders.map((folder) => join(folder, 'npm')).find((file) => existsSync(file));
  if (npm === undefined) return undefined;
  try {
    return createRequire(realpathSync(npm))('cmd-shim') as CreateShim;
  } catch {
    return undefined;
  }
}
const createShim = loadCmdShim();

const hint = 'install it.';
const find = (command: string, env: Readonly<Record<string, string>>) =>
  findExecutable(command, { env: { TMPDIR: '/elsewhere', ...env }, hint, platform: 'win32' });

describe.runIf(createShim)('a program that npm installed on Windows', () => {
  it('is found through Path and PATHEXT, and its script is started instead of the batch file', async () => {
    const folder = plantTree({
      'node_modules/tool/bin/tool.js': '#!/usr/bin/env node\nconsole.log("7.8.9")\n',
    });
    await createShim!(join(folder, 'node_modules/tool/bin/tool.js'), join(folder, 'tool'));
    const script = join(folder, 'node_modules', 'tool', 'bin', 'tool.js');
    for (const env of [
      { Path: `C:\\nothing;${folder}`, PATHEXT: '.COM;.EXE;.BAT;.CMD' },
      { PATH: folder, PATHEXT: '.CMD' },
      { path: folder },
    ])
      expect(await find('tool', env)).toBe(script);
    expect(await find('tool.cmd', { Path: folder })).toBe(script);
    expect(await find(join(folder, 'tool'), {})).toBe(script);
    expect(execFileSync(process.execPath, [script], { encoding: 'utf8' })).toBe('7.8.9\n');
  });

  it('can be a program', async () => {
    const folder = plantTree({ 'node_modules/claude/bin/claude.exe': 'MZ' });
    await createShim!(join(folder, 'node_modules/claude/bin/claude.exe'), join(folder, 'claude'));
    expect(await find('claude', { Path: folder })).toBe(
      join(folder, 'node_modules', 'claude', 'bin', 'claude.exe'),
    );
  });

  it('is codex, whose native program is started', async () => {
    const folder = plantTree({});
    const modules = join(folder, 'node_modules', '@openai');
    mkdirSync(modules, { recursive: true });
    // The real launcher script, beside a native package as npm installs it on Windows.
    symlinkSync(dirname(dirname(codexShim)), join(modules, 'codex'));
    await createShim!(join(modules, 'codex', 'bin', 'codex.js'), join(folder, 'codex'));
    const script = await find('codex', { Path: folder });
    expect(script).toBe(join(modules, 'codex', 'bin', 'codex.js'));
    expect(await resolveNpmShim(script, 'win32')).toBe(script);

    const copied = join(plantTree({ '@openai/codex/bin/codex.js': '' }), '@openai');
    const triple = process.arch === 'arm64' ? 'aarch64-pc-windows-msvc' : 'x86_64-pc-windows-msvc';
    const native = join(copied, 'codex', 'node_modules', '@openai', `codex-win32-${process.arch}`);
    const program = join(native, 'vendor', triple, 'bin', 'codex.exe');
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(join(native, 'package.json'), '{}');
    writeFileSync(program, 'MZ');
    expect(await resolveNpmShim(join(copied, 'codex', 'bin', 'codex.js'), 'win32')).toBe(
      realpathSync(program),
    );
  });

  it('is reported if its target is missing', async () => {
    const folder = plantTree({ 'gone.cmd': '@ECHO off\r\n"%dp0%\\node_modules\\gone\\gone.js" %*\r\n' });
    await expect(find('gone', { Path: folder })).rejects.toThrow(/gone\.cmd is a batch file .*install it/);
  });
});

describe('on Windows', () => {
  it('an exe is preferred as PATHEXT says, and a script without an extension is ignored', async () => {
    const folder = plantTree({ agent: '#!/bin/sh\n', 'agent.exe': 'MZ', 'agent.cmd': '"%dp0%\\x.js"' });
    expect(await find('agent', { Path: folder, PATHEXT: '.EXE;.CMD' })).toBe(join(folder, 'agent.exe'));
    await expect(find('agent', { Path: folder, PATHEXT: '.VBS' })).rejects.toThrow(
      /agent is not .*install it/,
    );
  });

  it('a batch file that npm did not write is refused, because a shell would have to start it', async () => {
    const folder = plantTree({ 'mine.bat': '@echo off\r\necho hello\r\n' });
    await expect(find('mine', { Path: folder })).rejects.toThrow(
      'is a batch file that starts no known program',
    );
  });
});
