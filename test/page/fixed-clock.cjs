// Loaded into a server before its own code: the time stands still, so that pictures of its page can be compared.
const fixedMs = Date.parse(process.env.FIXED_TIME);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    super(...(args.length === 0 ? [fixedMs] : args));
  }
  static now() {
    return fixedMs;
  }
};
