import { both, codex, type HostileCase, writing } from './hostile-case.ts';

const hookNames = [
  'post-index-change',
  'post-checkout',
  'pre-commit',
  'post-commit',
  'reference-transaction',
  'fsmonitor-watchman',
];
const attributes = { '.gitattributes': '* filter=trap diff=trap merge=trap\n', 'a.txt': 'one\n' };
const change = 'echo two > a.txt; git update-index --refresh -q || true';
const config = (...pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([key, value]) => ['config', key, value]);

/** Programs that the git settings of a repository name. */
export const gitCases: readonly HostileCase[] = [
  {
    name: 'core.fsmonitor',
    agents: both,
    files: attributes,
    git: config(['core.fsmonitor', '$PROGRAM']),
    quick: true,
    fires: 'git',
  },
  {
    name: 'core.fsmonitor in an included file',
    agents: both,
    files: { ...attributes, 'extra.config': '[core]\n\tfsmonitor = $PROGRAM\n' },
    git: config(['include.path', '../extra.config']),
    fires: 'git',
  },
  {
    name: 'core.fsmonitor in config.worktree',
    agents: both,
    files: attributes,
    git: [
      ...config(['extensions.worktreeConfig', 'true']),
      ['config', '--worktree', 'core.fsmonitor', '$PROGRAM'],
    ],
    fires: 'git',
  },
  {
    name: 'hooks in .git/hooks',
    agents: both,
    files: attributes,
    make: `${hookNames.map((hook) => `cp $PROGRAM .git/hooks/${hook}`).join('; ')}; ${change}`,
    sandboxes: writing,
    quick: true,
    fires: 'git',
  },
  {
    name: 'hooks in a folder of the repository',
    agents: both,
    files: attributes,
    make: `mkdir hooks; ${hookNames.map((hook) => `cp $PROGRAM hooks/${hook}`).join('; ')}; git config core.hooksPath hooks; ${change}`,
    fires: 'git',
  },
  ...(['clean', 'smudge', 'process'] as const).map(
    (kind): HostileCase => ({
      name: `filter.${kind}`,
      agents: both,
      files: attributes,
      git: config([`filter.trap.${kind}`, '$PROGRAM'], ['filter.trap.required', 'true']),
      make: 'sleep 0.01; echo two > a.txt',
      sandboxes: writing,
      ...(kind === 'clean' && { quick: true }),
      ...(kind !== 'smudge' && { fires: 'git' }),
    }),
  ),
  {
    name: 'diff programs and text conversion',
    agents: codex,
    files: attributes,
    git: config(
      ['diff.external', '$PROGRAM'],
      ['diff.trap.command', '$PROGRAM'],
      ['diff.trap.textconv', '$PROGRAM'],
    ),
    make: 'echo two > a.txt',
    sandboxes: writing,
    fires: 'git',
  },
  {
    name: 'merge driver',
    agents: codex,
    files: attributes,
    git: config(['merge.trap.driver', '$PROGRAM %A']),
    sandboxes: writing,
  },
  {
    name: 'ssh, proxy, pager, editor, alias and credential programs',
    agents: both,
    files: attributes,
    git: config(
      ['core.sshCommand', '$PROGRAM'],
      ['core.gitProxy', '$PROGRAM'],
      ['core.pager', '$PROGRAM'],
      ['core.editor', '$PROGRAM'],
      ['alias.status', '!$PROGRAM'],
      ['credential.helper', '!$PROGRAM'],
      ['core.askPass', '$PROGRAM'],
      ['core.alternateRefsCommand', '$PROGRAM'],
      ['uploadpack.packObjectsHook', '$PROGRAM'],
      ['remote.origin.url', 'ssh://host.invalid/x'],
    ),
  },
  {
    name: 'signing program',
    agents: codex,
    files: attributes,
    git: config(['gpg.program', '$PROGRAM'], ['commit.gpgSign', 'true'], ['gpg.format', 'openpgp']),
    sandboxes: writing,
  },
  {
    name: 'a partial clone whose server is a program',
    agents: codex,
    files: attributes,
    git: [
      ...config(
        ['extensions.partialClone', 'origin'],
        ['remote.origin.promisor', 'true'],
        ['remote.origin.url', 'ext::$PROGRAM'],
        ['protocol.ext.allow', 'always'],
      ),
    ],
    make: 'find .git/objects -type f -name "????*" -delete',
    sandboxes: writing,
    expected: 'either',
    fires: 'git',
  },
  {
    name: 'a submodule with filters of its own',
    agents: codex,
    files: attributes,
    make: [
      'git init -q sub && cd sub && echo one > f.txt && echo "* filter=trap" > .gitattributes',
      'git add -A && git -c user.name=T -c user.email=t@t commit -qm x',
      'git config filter.trap.clean $PROGRAM; git config core.fsmonitor $PROGRAM; sleep 0.01; echo two > f.txt; cd ..',
      'printf "[submodule \\"sub\\"]\\n\\tpath = sub\\n\\turl = ./sub\\n\\tignore = none\\n" > .gitmodules',
      'git -c core.fsmonitor=false -c advice.addEmbeddedRepo=false add .gitmodules sub; echo three > sub/f.txt',
    ].join('\n'),
    sandboxes: writing,
    quick: true,
    fires: 'git',
  },
  {
    name: 'a nested repository that the run creates',
    agents: codex,
    files: attributes,
    sandboxes: writing,
    shell: [
      'git init -q n && cd n && echo "* filter=trap" > .gitattributes && echo x > f.txt',
      'git config filter.trap.clean $PROGRAM; git config core.fsmonitor $PROGRAM; true',
    ].join('; '),
  },
  {
    name: 'a .git file that leads to other settings',
    agents: both,
    files: attributes,
    make: 'mv .git "$PROJECT-git"; echo "gitdir: $PROJECT-git" > .git; git config core.fsmonitor $PROGRAM',
    fires: 'git',
  },
  {
    name: 'a bare repository inside the repository',
    agents: both,
    files: attributes,
    make: 'git init -q --bare bare && cd bare && git config core.bare false && git config core.worktree .. && git config core.fsmonitor $PROGRAM',
    cwd: '$PROJECT/bare',
    args: { skip_git_repo_check: true },
    expected: 'either',
  },
  {
    name: 'variables of a git hook that started the server',
    agents: codex,
    files: attributes,
    make: 'git init -q "$PROJECT-other"; git -C "$PROJECT-other" config core.fsmonitor $PROGRAM',
    args: {},
    sandboxes: writing,
  },
];
