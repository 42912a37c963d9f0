import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/components/**'],
    globalSetup: ['scripts/fresh-build.mjs', 'test/private-environment.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Tests start servers and browsers of their own, and often wait for them. Three files at a time keep two cores busy.
    maxWorkers: 3,
    // Real processes race on a busy machine.
    retry: process.env['CI'] ? 2 : 0,
  },
});
