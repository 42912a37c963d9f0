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
/** Addresses that views asked to open. */
window.links = [];
/** Display modes that views asked for. */
window.modes = [];
/** Names of tools that the user does not let the view call, or `message`. */
window.refused = [];

/** Calls a tool and shows its view, as a chat does. */
window.show = async ({ tool, args, theme, host, width = 700, proxy, waitsForResult }) => {
  const client = new Client(info, {
    capabilities: { extensions: { [extension]: { mimeTypes: ['text/html;profile=mcp-app'] } } },
  });
  await client.connect(transport);
  const { tools } = await client.listTools();
  const { resourceUri } = tools.find(({ name }) => name === tool)._meta.ui;
  const { contents } = await client.readResource({ uri: resourceUri });
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.style.cssText = `border: 0; width: ${width}px; height: 600px`;
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  frame.src = proxy;
  await loaded;
  const capabilities = { serverTools: {}, message: {}, openLinks: {} };
  const bridge = new AppBridge(client, info, capabilities, { hostContext: { theme, ...host } });
  bridge.onmessage = async ({ content }) => {
    if (window.refused.includes('message')) return { isError: true };
    window.chat.push(content.map(({ text }) => text).join(''));
    return {};
  };
  bridge.onrequestdisplaymode = async ({ mode }) => {
    window.modes.push(mode);
    frame.style.width = mode === 'fullscreen' ? '100vw' : `${width}px`;
    return { mode };
  };
  bridge.onopenlink = async ({ url }) => {
    window.links.push(url);
    return {};
  };
  bridge.onsizechange = ({ height }) => {
    frame.style.height = `${height}px`;
  };
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  bridge.oncalltool = (params) => {
    if (window.refused.includes(params.name)) throw new Error('The user declined the call.');
    return client.callTool(params);
  };
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
  window.changeContext = (context) => bridge.setHostContext(context);
  window.loseServer = () => transport.onclose();
  /** Never answers the view again. */
  window.hang = () => void bridge.close();
};
