import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { importComponent } from '../components.ts';

/** The part of the Playwright API that the tests use. Playwright and its types are installed in test/components only. */
export interface Browser {
  newContext(options?: object): Promise<BrowserContext>;
  close(): Promise<void>;
}
export interface BrowserContext {
  newPage(): Promise<Page>;
  setDefaultTimeout(milliseconds: number): void;
  addInitScript(script: string): Promise<void>;
  readonly clock: {
    setFixedTime(time: string): Promise<void>;
    install(): Promise<void>;
    fastForward(milliseconds: number): Promise<void>;
  };
  grantPermissions(permissions: readonly string[]): Promise<void>;
  setOffline(offline: boolean): Promise<void>;
  route(
    url: string,
    handler: (route: { fulfill(response: object): Promise<void> }) => unknown,
  ): Promise<void>;
  newCDPSession(page: Page): Promise<{ send(method: string, params?: object): Promise<unknown> }>;
  close(): Promise<void>;
}
interface Route {
  request(): { headers(): Readonly<Record<string, string>> };
  continue(): Promise<void>;
}

export interface Page {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  close(): Promise<void>;
  context(): BrowserContext;
  url(): string;
  getByRole(role: string, options?: { name?: string | RegExp; exact?: boolean }): Locator;
  getByText(text: string | RegExp, options?: { exact?: boolean }): Locator;
  getByLabel(text: string | RegExp, options?: { exact?: boolean }): Locator;
  locator(selector: string): Locator;
  frameLocator(selector: string): Frame;
  exposeFunction(name: string, call: (text: string) => void): Promise<void>;
  isClosed(): boolean;
  evaluate<Result>(
    script: string | ((argument: never) => Result | Promise<Result>),
    argument?: unknown,
  ): Promise<Result>;
  addScriptTag(options: { path?: string; content?: string }): Promise<unknown>;
  screenshot(options: { path: string; fullPage?: boolean; animations?: 'disabled' }): Promise<unknown>;
  emulateMedia(options: { colorScheme?: 'light' | 'dark' }): Promise<void>;
  setViewportSize(size: { width: number; height: number }): Promise<void>;
  waitForFunction(script: string, argument?: unknown, options?: { timeout?: number }): Promise<unknown>;
  waitForLoadState(state: 'networkidle', options?: { timeout?: number }): Promise<void>;
  waitForEvent(event: 'download'): Promise<Download>;
  route(url: string, handler: (route: Route) => Promise<void>): Promise<unknown>;
  unrouteAll(options: { behavior: 'wait' }): Promise<void>;
  on(
    event: 'console' | 'pageerror',
    listener: (event: { text?(): string; type?(): string; message?: string }) => void,
  ): void;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  readonly mouse: {
    move(x: number, y: number, options?: { steps?: number }): Promise<void>;
    down(): Promise<void>;
    up(): Promise<void>;
  };
}
/** The content of a frame. */
export type Frame = Pick<Page, 'getByRole' | 'getByText' | 'getByLabel' | 'locator' | 'frameLocator'>;
export interface Download {
  suggestedFilename(): string;
  saveAs(path: string): Promise<void>;
}
export interface UploadFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}
export interface Locator {
  click(options?: object): Promise<void>;
  focus(): Promise<void>;
  hover(): Promise<void>;
  press(keys: string): Promise<void>;
  fill(text: string): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  textContent(): Promise<string | null>;
  inputValue(): Promise<string>;
  count(): Promise<number>;
  check(): Promise<void>;
  scrollIntoViewIfNeeded(): Promise<void>;
  boundingBox(): Promise<{ x: number; y: number; width: number; height: number } | null>;
  first(): Locator;
  filter(options: { hasText: RegExp }): Locator;
  nth(index: number): Locator;
  locator(selector: string): Locator;
  getByRole: Page['getByRole'];
  getByText: Page['getByText'];
  getByLabel: Page['getByLabel'];
  waitFor(options?: {
    state?: 'visible' | 'hidden' | 'attached' | 'detached';
    timeout?: number;
  }): Promise<void>;
  setInputFiles(files: string | UploadFile | readonly UploadFile[]): Promise<void>;
  dispatchEvent(type: string, init?: object): Promise<void>;
  evaluate<Result>(script: string): Promise<Result>;
}

/** Default flags that people do not use: the first supports only one window, the others turn off checks of origins. */
const unrealistic = ['--single-process', '--disable-web-security', '--allow-running-insecure-content'];
/** Default flags that emulate a GPU on the processor, which costs more than drawing without one. */
const emulatedGpu = [
  '--ignore-gpu-blocklist',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

export type BrowserName = 'chromium' | 'firefox';

/** Path of the Firefox of this machine, if there is one. It is not installed from npm. */
export const installedFirefox = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => ['firefox', 'firefox-esr'].map((program) => join(folder, program)))
  .find((program) => existsSync(program));

/** Starts the Chromium that is installed from npm, or the Firefox of this machine. */
export async function openBrowser(name: BrowserName = 'chromium'): Promise<Browser> {
  const { playwright, options } = await launcher();
  if (name === 'chromium') return playwright.chromium.launch(options);
  if (installedFirefox === undefined) throw new Error('There is no program firefox or firefox-esr in PATH.');
  return playwright.firefox.launch({
    channel: 'moz-firefox',
    executablePath: join(import.meta.dirname, 'firefox-relay.cjs'),
    env: { ...process.env, FIREFOX: installedFirefox },
    timeout: 60_000,
  });
}

async function launcher() {
  const { default: playwright } = (await importComponent('playwright-core')) as unknown as {
    default: {
      firefox: { launch(options: object): Promise<Browser> };
      chromium: {
        launch(options: object): Promise<Browser>;
        launchPersistentContext(folder: string, options: object): Promise<BrowserContext>;
      };
    };
  };
  const { default: bundled } = (await importComponent('@sparticuz/chromium')) as unknown as {
    default: { args: readonly string[]; executablePath(): Promise<string> };
  };
  const options = {
    executablePath: await withLock('browser', () => bundled.executablePath()),
    args: [
      ...bundled.args.filter((flag) => ![...unrealistic, ...emulatedGpu].includes(flag)),
      '--disable-gpu',
      '--no-sandbox',
      '--disable-background-networking',
    ],
    headless: true,
  };
  return { playwright, options };
}

/** Opens a browser with a profile that stays on the disk, as people have it. */
export async function openProfile(folder: string): Promise<BrowserContext> {
  const { playwright, options } = await launcher();
  return playwright.chromium.launchPersistentContext(folder, options);
}

/** Holds a lock across processes, because the first one unpacks the browser into the temporary folder. */
async function withLock<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const lock = join(tmpdir(), `${name}.lock`);
  while (!acquire(lock)) await sleep(50);
  try {
    return await work();
  } finally {
    rmdirSync(lock);
  }
}

function acquire(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
