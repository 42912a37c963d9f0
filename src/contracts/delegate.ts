import type { Contract } from './contract.ts';
import { type DocumentText, withDocumentTexts } from './document-texts.ts';
import { standard, toolItem } from './standard.ts';

/** The texts of the document's arguments that every tool has. `standard` shortens them. */
const shared = {
  cwd: 'Working directory of the sub-agent.',
  role: 'Who the sub-agent is to be; may name a prompt.',
  model: 'Model to use instead of the configured one.',
  reasoning_effort: 'Reasoning effort to use instead of the configured one.',
  config_overrides: 'Further settings of the agent, each as key=value.',
  skills_mode: 'Pick skills by the task, take those named in skills, or take none.',
  skills: 'Names for skills_mode "explicit".',
  max_skills: 'Most skills to pick in mode "auto".',
  include_repo_skills: 'Look for skills from cwd upwards.',
  include_global_skills: "Look for the user's skills.",
  sandbox: 'What the sub-agent may touch; never more than the caller has.',
  skip_git_repo_check: 'Allow a working directory outside of a git repository.',
} as const;

const texts: Readonly<Record<string, DocumentText>> = {
  delegate_run: {
    description:
      'Give a task to a specialist sub-agent with a fresh context and get back its structured result. The run leaves its files in a directory of its own.',
    arguments: {
      task: 'What to do. A text that begins with :command is expanded from the prompt library.',
      ...shared,
    },
  },
  delegate_resume: {
    description:
      'Go on with the thread of an earlier sub-agent, with a follow-up task or without one, and get back its structured result.',
    arguments: {
      thread_id: 'The subagent_thread_id of an earlier run.',
      task: 'What to do next; without it the thread goes on where it stopped.',
      ...shared,
    },
  },
  delegate_autopilot: {
    description:
      'Decide whether a task is worth splitting up, and if so plan it, run the jobs with several sub-agents and gather what they came to. A plain question or a small edit is not delegated.',
    arguments: {
      task: 'What to do. A text that begins with :command is expanded from the prompt library.',
      cwd: 'Working directory of the sub-agents; otherwise that of the server.',
      sandbox: 'The widest sandbox any sub-agent may have; never more than the caller has.',
      role: shared.role,
      skills_mode: shared.skills_mode,
      skills: shared.skills,
      max_skills: shared.max_skills,
      include_repo_skills: shared.include_repo_skills,
      include_global_skills: shared.include_global_skills,
      skip_git_repo_check: shared.skip_git_repo_check,
      max_agents: 'Most jobs a plan may have.',
      max_parallel: 'Most jobs at work at the same time.',
      worktrees:
        'Which writing jobs work in a git worktree of their own and end as patches: none, those that could touch the same files, or all.',
    },
  },
};

/** Sub-agents: three tools that return failures as results, never as errors. */
export const delegate: Contract = {
  ...standard,
  name: 'delegate',
  server: { name: 'codex-specialized-subagents', version: '0.1.0' },
  modern: false,
  failureDetails: false,
  methods: new Set(['initialize', 'ping', 'logging/setLevel', 'tools/list', 'tools/call']),
  tools: new Set(['delegate_run', 'delegate_resume', 'delegate_autopilot']),
  capabilities: () => ({ logging: {}, tools: { listChanged: true } }),
  toolItem: (tool) => toolItem(withDocumentTexts(tool, texts)),
  initialized: ({ instructions: _, ...result }) => result,
};
