import { expect, it } from 'vitest';
import { settingsWithoutSecrets, settingsWithSecretsOf } from './file.ts';

it('removes secrets from tables and lists, however their names are written', async () => {
  const text = [
    '[delivery]',
    'smtp_url = "smtp://me:swordfish@127.0.0.1"',
    'Webhook_Secret = "swordfish"',
    'mail_from = "ada@example.org"',
    '[[prompts.repositories]]',
    'address = "https://me:swordfish@example.org/mcp"',
    'apiKey = "swordfish"',
    'args = ["https://me:swordfish@example.org", "--fast"]',
  ].join('\n');
  const { text: open, secrets } = await settingsWithoutSecrets(text);
  expect(open).not.toContain('swordfish');
  expect(open).toContain('ada@example.org');
  expect(open).toContain('address = "https://example.org/mcp"');
  expect(open).toContain('--fast');
  expect(secrets).toEqual(['delivery.smtp_url', 'delivery.Webhook_Secret', 'prompts.repositories']);
});

it('returns settings without secrets unchanged', async () => {
  const text = '# mine\nlog_level = "error"\n';
  expect(await settingsWithoutSecrets(text)).toEqual({ text, secrets: [] });
});

it('takes secrets from other settings, and names those that are not there', async () => {
  const open = '[delivery]\n# mine\nmail_from = "ada@example.org"\n';
  const other = '[delivery]\nsmtp_url = "smtp://me:swordfish@127.0.0.1"\n';
  const merged = await settingsWithSecretsOf(open, other, ['delivery.smtp_url', 'delivery.webhook_secret']);
  expect(merged.text).toContain('# mine');
  expect(merged.text).toContain('smtp_url = "smtp://me:swordfish@127.0.0.1"');
  expect(merged.missing).toEqual(['delivery.webhook_secret']);
  const broken = await settingsWithSecretsOf(open, 'not = [valid', ['delivery.smtp_url']);
  expect(broken).toEqual({ text: open, missing: ['delivery.smtp_url'] });
});
