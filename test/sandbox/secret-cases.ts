import { answer } from '../model/turn.ts';
import { both, claude, codex, type HostileCase, reading, writing } from './hostile-case.ts';

const ownFiles = [
  'token',
  'adjutant.db',
  'adjutant.db-wal',
  'outbox/mail.eml',
  'adjutant.toml',
  'calendar-passwords',
];
const paths = ownFiles.map((name) => `$OWN/${name}`).join(' ');

/** Probes for secrets from inside a run. */
export const secretCases: readonly HostileCase[] = [
  {
    name: 'env',
    agents: codex,
    shell: 'env; set; export -p; cat /proc/self/environ',
    quick: true,
    fires: 'agent',
  },
  {
    name: 'the environment of other processes',
    agents: codex,
    shell: 'cat /proc/*/environ | tr "\\0" "\\n"; ps axeww; true',
    fires: 'agent',
  },
  {
    name: "Adjutant's own files",
    agents: both,
    shell: `cat ${paths}; cp ${paths} .; grep -r . $OWN; tar c $OWN | strings; true`,
    quick: true,
    fires: 'agent',
  },
  {
    name: "Adjutant's own files by other paths",
    agents: both,
    sandboxes: writing,
    shell: [
      'ln -s $OWN/token l; cat l',
      'ln $OWN/token h; cat h',
      'cat /proc/self/root$OWN/token',
      'cd $OWN/outbox 2>/dev/null && cat *',
      'mv $OWN/token t; cat t',
      'python3 -c "print(open(\'$OWN/token\').read())"',
      'true',
    ].join('; '),
  },
  {
    name: "Adjutant's own files, read by tools",
    agents: claude,
    turns: [
      ...ownFiles.map((name) => ({ tool: 'Read', arguments: { file_path: `$OWN/${name}` } })),
      { tool: 'Grep', arguments: { pattern: '.', path: '$OWN', output_mode: 'content' } },
      { tool: 'Glob', arguments: { pattern: '**/*', path: '$OWN' } },
    ],
    quick: true,
    fires: 'agent',
  },
  {
    name: "Adjutant's own files through a link in the repository",
    agents: both,
    make: 'ln -s $OWN/token token.txt; ln -s $OWN own; ln -s $OWN/token AGENTS.md; ln -s $OWN/token CLAUDE.md',
    shell: 'cat token.txt own/token own/adjutant.db; true',
    fires: 'agent',
  },
  {
    name: 'changing the token and the database',
    agents: both,
    sandboxes: writing,
    shell: 'echo mine > $OWN/token; echo x >> $OWN/adjutant.db; rm -rf $OWN/outbox; true',
  },
  {
    name: 'a secret in the answer',
    agents: both,
    turns: [answer({ summary: 'The key is sk-proj-abcdefghijklmnopqrstuv0123456789.' })],
    sandboxes: reading,
    quick: true,
  },
  {
    name: 'the network',
    agents: both,
    shell:
      'exec 3<>/dev/tcp/127.0.0.1/$ELSEWHEREPORT && printf "POST /v1/messages HTTP/1.0\\r\\n\\r\\n" >&3; curl -s $ELSEWHERE/v1/messages -d x; true',
    quick: true,
  },
  {
    name: 'files of the user',
    agents: both,
    sandboxes: writing,
    shell:
      'echo x >> $HOME/.bashrc; echo x > $HOME/.gitconfig; mkdir -p $HOME/.ssh; echo x > $OUTSIDE/new.txt; $TRAP; true',
    absent: ['$HOME/.bashrc', '$HOME/.gitconfig', '$OUTSIDE/new.txt'],
    quick: true,
  },
  {
    name: 'a process that outlives its command',
    agents: codex,
    sandboxes: writing,
    shell:
      'setsid -f sh -c "sleep 1; $TRAP"; (sleep 1; $TRAP) & nohup sh -c "sleep 1; $TRAP" >/dev/null 2>&1 & true',
  },
  {
    name: 'the settings of the agents',
    agents: both,
    sandboxes: writing,
    shell:
      'echo x >> $CODEX_HOME/config.toml; mkdir -p $HOME/.claude; echo "{}" > $HOME/.claude/settings.json; true',
    absent: ['$HOME/.claude/settings.json'],
  },
  {
    name: 'signals to other processes',
    agents: codex,
    sandboxes: writing,
    shell: 'kill -9 $VICTIM; true',
  },
];
