// elophanto in VS Code: starts the language server, and a search that answers while one types.
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function start() {
  const command = vscode.workspace.getConfiguration("elophanto").get("program");
  const run = { command, args: ["lsp"], transport: TransportKind.stdio };
  // Source files are looked at too: what do notes say of them?
  const documentSelector = [{ scheme: "file" }];
  client = new LanguageClient("elophanto", "elophanto", { run, debug: run }, { documentSelector });
  return client.start();
}

async function search() {
  const pick = vscode.window.createQuickPick();
  pick.placeholder = "Ask the knowledge base";
  // The server has ranked them already.
  pick.matchOnDescription = true;
  let asked = new vscode.CancellationTokenSource();
  pick.onDidChangeValue(async (query) => {
    // Nobody waits for what was asked before.
    asked.cancel();
    const own = (asked = new vscode.CancellationTokenSource());
    pick.busy = true;
    const answer = client.sendRequest("workspace/symbol", { query }, own.token);
    const found = (await answer.catch((error) => own.token.isCancellationRequested ? [] : Promise.reject(error))) || [];
    if (own !== asked) return;
    pick.busy = false;
    const item = (it) => ({ label: it.name, description: it.containerName, alwaysShow: true, location: it.location });
    pick.items = found.map(item);
  });
  pick.onDidAccept(() => {
    const [chosen] = pick.selectedItems;
    pick.hide();
    if (!chosen) return;
    const { uri, range } = client.protocol2CodeConverter.asLocation(chosen.location);
    vscode.window.showTextDocument(uri, { selection: range });
  });
  pick.onDidHide(() => {
    asked.cancel();
    pick.dispose();
  });
  pick.show();
}

exports.activate = (context) => {
  context.subscriptions.push(
    vscode.commands.registerCommand("elophanto.search", search),
    vscode.commands.registerCommand("elophanto.restart", () => client && client.restart()),
  );
  return start();
};

exports.deactivate = () => client && client.stop();
