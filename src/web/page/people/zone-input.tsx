/** A time zone with proposals. */
export function ZoneInput({ value, change }: { value: string; change(zone: string): void }) {
  return (
    <label>
      Time zone
      <input
        required
        value={value}
        list="time-zones"
        spellcheck={false}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </label>
  );
}
