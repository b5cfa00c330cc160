// A host of MCP Apps, by the official SDK, in the page that shows the app: what runs in the browser of a client.
// `callTool` goes to the client of the server.

import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

window.host = async ({ html, tool, asked, answer }) => {
  const frame = document.querySelector("iframe");
  const bridge = new AppBridge(
    null,
    { name: "host", version: "1" },
    { serverTools: {}, logging: {} },
    { hostContext: { theme: "dark", toolInfo: { tool }, displayMode: "inline" } },
  );
  bridge.oncalltool = (params) => window.callTool(params);
  bridge.onsizechange = ({ height }) => height && (frame.style.height = `${height}px`);
  const ready = new Promise((resolve) => (bridge.oninitialized = resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await ready;
  await bridge.sendToolInput({ arguments: asked });
  await bridge.sendToolResult(answer);
  window.endApp = () => bridge.teardownResource({});
  return bridge.getAppVersion().name;
};
