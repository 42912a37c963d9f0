import type { ResourceProvider } from '../../src/feature.ts';
import { pixel } from './samples.ts';

const template = /^test:\/\/template\/([^/]+)\/data$/;

export const resources: ResourceProvider = {
  list: async () => [
    { uri: 'test://static-text', name: 'Static text', description: 'Text.', mimeType: 'text/plain' },
    { uri: 'test://static-binary', name: 'Static image', description: 'An image.', mimeType: 'image/png' },
    { uri: 'test://watched-resource', name: 'Watched', description: 'May change.', mimeType: 'text/plain' },
  ],
  templates: [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'Data by id',
      description: 'One of many.',
      mimeType: 'application/json',
    },
  ],
  async read(uri) {
    switch (uri) {
      case 'test://static-text':
        return [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }];
      case 'test://static-binary':
        return [{ uri, mimeType: 'image/png', blob: pixel.data }];
      case 'test://watched-resource':
        return [{ uri, mimeType: 'text/plain', text: 'Nothing has changed yet.' }];
    }
    const id = template.exec(uri)?.[1];
    if (id === undefined) return undefined;
    const data = { id, templateTest: true, data: `Data for ID: ${id}` };
    return [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }];
  },
  complete: async (uriTemplate) => (uriTemplate === 'test://template/{id}/data' ? ['123'] : undefined),
};
