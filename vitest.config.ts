import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/components/**'],
    globalSetup: 'test/private-environment.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Tests start servers and browsers of their own: two files at a time is what a small machine bears.
    maxWorkers: 2,
    // Real processes race on a busy machine: what fails there twice more has failed.
    retry: process.env['CI'] ? 2 : 0,
  },
});
