import { describe, expect, it } from 'vitest';
import { checkOverrides } from './assignment.ts';
import type { OverrideRights } from './permissions.ts';

const none: OverrideRights = { addresses: false, programs: false, drop: false };
const addresses: OverrideRights = { ...none, addresses: true };
const everything: OverrideRights = { ...addresses, programs: true };

describe('checkOverrides', () => {
  it.each([
    'sandbox_mode="danger-full-access"',
    ' sandbox_workspace_write.network_access = true',
    'sandbox_workspace_write={writable_roots=["/"]}',
    'default_permissions=":danger-full-access"',
    'permissions.x={}',
    'approval_policy="on-request"',
    'approvals_reviewer="auto_review"',
    'notify=["sh","-c","x"]',
    'hooks.x=1',
    'mcp_servers.adjutant.enabled=true',
    'mcp_servers={x={command="sh"}}',
    'mcp_servers={x={enabled=false},y={url="http://127.0.0.1"}}',
    '"mcp_servers".x.command="sh"',
    'projects."/x".trust_level="trusted"',
    'projects={"/x"={trust_level="trusted"}}',
    'profile="wide"',
    'features.use_legacy_landlock=true',
    'features={use_legacy_landlock=true}',
    'features={goals=true,use_legacy_landlock=true}',
    'model_providers={x={auth={command="sh"}}}',
    'log_dir="/etc"',
    'features.unbounded_connection_retries=true',
    'model_providers.x.auth.command="sh"',
    'agents.x.config_file="/x"',
  ])('refuses an override that could widen the permissions of the run: %s', async (override) => {
    await expect(checkOverrides([override], none)).rejects.toThrow(/is refused/);
    await expect(checkOverrides([override], addresses)).rejects.toThrow(/is refused/);
    expect(await checkOverrides([override], everything)).toEqual({ allowed: [override], warnings: [] });
  });

  it('refuses overrides that are together too long to be parsed at once', async () => {
    const long = Array.from({ length: 100 }, () => `x={${'a.'.repeat(100)}a=1}`);
    await expect(checkOverrides(long, everything)).rejects.toThrow('longer than 16384 characters');
  });

  it.each(['', 'model', '=x', '--sandbox'])(
    'refuses an override that is not of the form key=value: %j',
    async (override) => {
      await expect(checkOverrides([override], none)).rejects.toThrow(/key=value/);
    },
  );

  it.each([
    'model_providers.x={base_url="https://elsewhere.example",env_key="OPENAI_API_KEY"}',
    'model_providers.x.base_url="https://elsewhere.example"',
    'model_providers.x={"\\u0062ase_url"="elsewhere.example"}',
    'model_providers.x={"\\U00000062ase_url"="elsewhere.example"}',
    'model_providers.x={"env\\u005fkey"="HOME"}',
    "model_providers.x={'env_key'='HOME'}",
    'model_providers={x.y.http_headers.A="b"}',
    'model_providers={x={env_http_headers={A="HOME"}}}',
    'model_providers={x={experimental_bearer_token="t"}}',
    'model_providers.x.requires_openai_auth=true',
    'model_providers=[[{x=[{base_url="elsewhere.example"}]}]]',
    'model_providers={x={__proto__={base_url="elsewhere.example"}}}',
    'chatgpt_base_url="https://elsewhere.example"',
    'openai_base_url="""\nhttps://elsewhere.example"""',
    'something_new="https://elsewhere.example"',
    'something_new=["a", {b="wss://elsewhere.example"}]',
  ])('refuses another address or credential without the right to set one: %s', async (override) => {
    await expect(checkOverrides([override], none)).rejects.toThrow(/is refused/);
  });

  it('allows another address with the right to set one', async () => {
    const override = 'model_providers.x={name="x",base_url="https://elsewhere.example",env_key="KEY"}';
    expect((await checkOverrides([override], addresses)).allowed).toEqual([override]);
  });

  it.each([
    'model_providers.x={"\\u0061uth"={"\\u0063ommand"="sh"}}',
    'model_providers.x={"\\u0061uth"."\\u0063ommand"="sh"}',
  ])(
    'refuses an override that starts a program, even with the right to set addresses: %s',
    async (override) => {
      await expect(checkOverrides([override], addresses)).rejects.toThrow(/start a program/);
    },
  );

  it.each([
    'model_providers.x={name="x",name="y"}',
    'model_providers.x={name="x"',
    'model_providers.x={"\\x62ase_url"="y"}',
    'model_providers.x={\n"base_url"="y",\n}',
    'model_providers.x={name="x"}}',
    'model="x"\nsandbox_mode="danger-full-access"',
    '"model"="x"',
    "'model'='x'",
    '"a=b".c=1',
    'model .x="y"',
    '"\\u0073andbox_mode"="danger-full-access"',
    'model.="x"',
    "model='x",
  ])('refuses text that Codex might parse differently: %j', async (override) => {
    await expect(checkOverrides([override], none)).rejects.toThrow(/is refused/);
  });

  it.each([
    'model="x"',
    'model=gpt-5.1-codex',
    'model = x',
    'model_reasoning_effort="high"',
    'model_reasoning_effort=high',
    'model_verbosity="low"',
    'model_context_window=200000',
    'model_auto_compact_token_limit=90000',
    'tool_output_token_limit=12000',
    'model_providers.x={name="x",request_max_retries=1}',
    'developer_instructions="See https://example.org first."',
    'mcp_servers.other.enabled=false',
    'mcp_servers={other={enabled=false}}',
    'web_search="disabled"',
    'features.goals=false',
    'features={goals=false}',
    'tools={web_search=true}',
  ])('allows a harmless override: %s', async (override) => {
    expect((await checkOverrides([override], none)).allowed).toEqual([override]);
  });

  it('drops what the caller has no right to set, and says so', async () => {
    const { allowed, warnings } = await checkOverrides(
      ['model="x"', 'notify=["sh"]', "model='y", 'chatgpt_base_url="https://elsewhere.example"'],
      { ...none, drop: true },
    );
    expect(allowed).toEqual(['model="x"']);
    expect(warnings.map((warning) => /^The config override (\S+)/.exec(warning)?.[1])).toEqual([
      'notify',
      '"model=\'y"',
      'chatgpt_base_url',
    ]);
  });
});
