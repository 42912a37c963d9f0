/** Returns the chosen files and clears the field, so that a corrected file with the same name triggers another change event. */
export function chosenFiles(field: HTMLInputElement): readonly File[] {
  const files = [...(field.files ?? [])];
  field.value = '';
  return files;
}
