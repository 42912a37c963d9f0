import { type AcpDefinition, onlyOwnServer, providerKeys } from './acp-definition.ts';

export const qwen: AcpDefinition = {
  name: 'qwen',
  label: 'Qwen Code',
  testedVersion: '0.24.4',
  command: 'qwen',
  installHint: 'install it with "npm install -g @qwen-code/qwen-code".',
  args: ({ model }) => ['--acp', ...onlyOwnServer, ...(model === undefined ? [] : ['--model', model])],
  env: () => ({ QWEN_CODE_NO_RELAUNCH: 'true', QWEN_CODE_DISABLE_CRON: '1' }),
  takesModel: true,
  // By default a model decides what needs permission.
  mode: 'default',
  steering: 'craft/drainMidTurnQueue',
  canFork: false,
  canResume: true,
  repositorySettings: ['.qwen', '.env'],
  state: [{ folder: '.qwen', sessions: ['tmp', 'projects'] }],
  signIn: { file: '.qwen/oauth_creds.json', fields: ['access_token', 'refresh_token', 'expiry_date'] },
  settings: '.qwen/settings.json',
  credentials: {
    files: ['.qwen/oauth_creds.json', '.qwen/.env'],
    variables: ['OPENAI_API_KEY', 'DASHSCOPE_API_KEY', 'QWEN_API_KEY'],
    uses: providerKeys,
    isComplete: false,
    signIn: 'start qwen once and sign in, or set OPENAI_API_KEY',
  },
};
