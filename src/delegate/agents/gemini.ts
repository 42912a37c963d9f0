import { type AcpDefinition, onlyOwnServer } from './acp-definition.ts';

export const gemini: AcpDefinition = {
  name: 'gemini',
  label: 'Gemini CLI',
  testedVersion: '0.61.0',
  command: 'gemini',
  installHint: 'install it with "npm install -g @google/gemini-cli".',
  args: ({ model }) => ['--acp', ...onlyOwnServer, ...(model === undefined ? [] : ['-m', model])],
  // Trusting the folder is harmless, because the settings in the repository are hidden.
  env: () => ({ GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_CLI_NO_RELAUNCH: 'true' }),
  takesModel: true,
  canFork: false,
  canResume: false,
  repositorySettings: ['.gemini', '.env'],
  // Programs and git repositories that the next start of gemini would run are not kept.
  state: [
    { folder: '.gemini', sessions: ['tmp'] },
    { folder: '.gemini/tmp/bin', sessions: [] },
  ],
  signIn: {
    file: '.gemini/oauth_creds.json',
    fields: ['access_token', 'refresh_token', 'id_token', 'expiry_date'],
  },
  settings: '.gemini/settings.json',
  credentials: {
    files: ['.gemini/oauth_creds.json', '.gemini/.env'],
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
    uses: ['GOOGLE_*'],
    isComplete: true,
    signIn: 'start gemini once and sign in, or set GEMINI_API_KEY',
  },
};
