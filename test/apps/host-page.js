// The page of a chat with MCP Apps, bundled for the browser: the official client and bridge. The test pipes the client's
// messages to a server on stdio.
import { Client } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const extension = 'io.modelcontextprotocol/ui';
const info = { name: 'chat', version: '1' };

const transport = {
  start: async () => {},
  send: (message) => window.sendToServer(JSON.stringify(message)),
  close: async () => {},
};
window.receiveFromServer = (text) => transport.onmessage(JSON.parse(text));
/** Messages that views wrote into the chat. */
window.chat = [];
window.heights = [];

/** Calls a tool and shows its view, as a chat does. */
window.show = async ({ tool, args, theme, proxy, waitsForResult }) => {
  const client = new Client(info, {
    capabilities: { extensions: { [extension]: { mimeTypes: ['text/html;profile=mcp-app'] } } },
  });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const { resourceUri } = tools.find(({ name }) => name === tool)._meta.ui;
  const { contents } = await client.readResource({ uri: resourceUri });
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.style.cssText = 'width: 700px; height: 600px';
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  frame.src = proxy;
  await loaded;
  const bridge = new AppBridge(client, info, { serverTools: {}, message: {} }, { hostContext: { theme } });
  bridge.onmessage = async ({ content }) => {
    window.chat.push(content.map(({ text }) => text).join(''));
    return {};
  };
  bridge.onsizechange = ({ height }) => window.heights.push(height);
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.contentWindow.postMessage('connected', '*');
  await new Promise((resolve) => {
    bridge.onsandboxready = resolve;
  });
  await bridge.sendSandboxResourceReady({ html: contents[0].text });
  await initialized;
  await bridge.sendToolInput({ arguments: args });
  const result = client
    .callTool({ name: tool, arguments: args })
    .then((value) => bridge.sendToolResult(value));
  if (waitsForResult) await result;
  window.closeView = () => bridge.teardownResource({});
};
