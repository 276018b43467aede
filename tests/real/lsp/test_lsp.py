"""elophanto lsp, asked by pytest-lsp in a clone of this repository. Each test is one feature."""

import os
import pathlib
import asyncio

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

ROOT = pathlib.Path(os.environ["REPO"])
NOTE = "knowledge/system/architecture.md"
KEY = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["ELOPHANTO"], "lsp"]))
async def client(lsp_client: LanguageClient):
    # What an editor would watch for the server, nobody changes here.
    lsp_client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda _params: None)
    capabilities = pytest_lsp.client_capabilities("visual-studio-code")
    folder = types.WorkspaceFolder(uri=ROOT.as_uri(), name="here")
    params = types.InitializeParams(capabilities=capabilities, workspace_folders=[folder])
    answer = await lsp_client.initialize_session(params)
    lsp_client.encoding = answer.capabilities.position_encoding
    yield
    await lsp_client.shutdown_session()


def uri(path):
    return (ROOT / path).as_uri()


def document(path):
    return types.TextDocumentIdentifier(uri=uri(path))


def opened(client, path, text=None):
    text = (ROOT / path).read_text() if text is None else text
    item = types.TextDocumentItem(uri=uri(path), language_id="markdown", version=1, text=text)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    return text


def place(text, words, inside=0):
    """Where some words stand; columns are counted as Python does, so that these lines hold ASCII."""
    at = text.index(words) + inside
    before = text[:at]
    return types.Position(line=before.count("\n"), character=len(before.rsplit("\n", 1)[-1]))


async def diagnostics(client, path, wanted, patience=120):
    for _ in range(patience * 10):
        found = client.diagnostics.get(uri(path), [])
        if wanted(found):
            return found
        await asyncio.sleep(0.1)
    raise AssertionError(f"nothing of the kind was published: {client.diagnostics.get(uri(path))}")


@pytest.mark.asyncio
async def test_broken_link_secret_and_fix(client):
    text = "# New\n\nSee [[glosary]].\n\nkey: " + KEY + "\n"
    opened(client, "knowledge/system/new.md", text)
    found = await diagnostics(client, "knowledge/system/new.md", lambda all: len(all) == 2)
    print(sorted(str(it.code) for it in found))
    at = place(text, "glosary", 2)
    params = types.CodeActionParams(
        text_document=document("knowledge/system/new.md"),
        range=types.Range(start=at, end=at),
        context=types.CodeActionContext(diagnostics=found),
    )
    actions = await client.text_document_code_action_async(params)
    titles = [it.title for it in actions]
    print(titles)
    assert "Link to knowledge/system/glossary.md" in titles


@pytest.mark.asyncio
async def test_hover_definition_references(client):
    text = opened(client, "knowledge/system/conventions.md")
    at = place(text, "[[decisions/0026", 4)
    where = dict(text_document=document("knowledge/system/conventions.md"), position=at)
    hover = await client.text_document_hover_async(types.HoverParams(**where))
    print(hover.contents.value.splitlines()[0])
    to = await client.text_document_definition_async(types.DefinitionParams(**where))
    print(to.uri.rsplit("/", 1)[-1])
    assert to.uri.endswith("decisions/0026-use-cases-below-the-doors.md")
    context = types.ReferenceContext(include_declaration=True)
    found = await client.text_document_references_async(types.ReferenceParams(context=context, **where))
    print(len(found), "references")
    assert any(it.uri.endswith("conventions.md") for it in found)


@pytest.mark.asyncio
async def test_symbols_links_foldings_tokens(client):
    text = opened(client, NOTE)
    symbols = await client.text_document_document_symbol_async(
        types.DocumentSymbolParams(text_document=document(NOTE)))
    foldings = await client.text_document_folding_range_async(
        types.FoldingRangeParams(text_document=document(NOTE)))
    links = await client.text_document_document_link_async(
        types.DocumentLinkParams(text_document=document(NOTE)))
    tokens = await client.text_document_semantic_tokens_full_async(
        types.SemanticTokensParams(text_document=document(NOTE)))
    print(symbols[0].name, len(foldings), len(links or []), len(tokens.data) // 5)
    assert symbols and foldings and text


@pytest.mark.asyncio
async def test_workspace_symbols(client):
    found = await client.workspace_symbol_async(
        types.WorkspaceSymbolParams(query="why are committed tables written once"))
    print([it.location.uri.rsplit("/", 1)[-1] for it in found[:3]])
    assert found


@pytest.mark.asyncio
async def test_completion(client):
    path = "knowledge/system/completing.md"
    text = "# C\n\nVectors in git are immutable tables, as [[\n\n[x](glo\n\n---\n"
    opened(client, path, text)
    # Until all notes were read, their names have to do.
    await client.workspace_symbol_async(types.WorkspaceSymbolParams(query=""))

    async def ask(words, inside):
        params = types.CompletionParams(
            text_document=document(path), position=place(text, words, inside))
        return (await client.text_document_completion_async(params)).items

    by_meaning = await ask("[[", 2)
    print([it.label for it in by_meaning[:3]])
    assert by_meaning
    by_name = await ask("(glo", 4)
    print([it.text_edit.new_text for it in by_name[:1]])
    assert by_name[0].text_edit.new_text.startswith("glossary.md")


@pytest.mark.asyncio
async def test_lenses_and_hints(client):
    opened(client, "knowledge/system/glossary.md")
    lenses = await client.text_document_code_lens_async(
        types.CodeLensParams(text_document=document("knowledge/system/glossary.md")))
    print([it.command.title for it in lenses])
    path = "src/lsp/mod.rs"
    opened(client, path)
    told = await client.text_document_code_lens_async(
        types.CodeLensParams(text_document=document(path)))
    print([it.command.title for it in told])
    assert told


@pytest.mark.asyncio
async def test_rename(client):
    path = "knowledge/system/conventions.md"
    text = (ROOT / path).read_text()
    params = types.RenameParams(
        text_document=document(path), position=place(text, "## Import order", 5), new_name="Order of imports")
    edit = await client.text_document_rename_async(params)
    print(len(edit.document_changes), "texts change")
    assert edit.document_changes
