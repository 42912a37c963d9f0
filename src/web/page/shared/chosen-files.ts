/** What somebody chose. The field is emptied, so that the same file can be chosen again when it has been put right. */
export function chosenFiles(field: HTMLInputElement): readonly File[] {
  const files = [...(field.files ?? [])];
  field.value = '';
  return files;
}
