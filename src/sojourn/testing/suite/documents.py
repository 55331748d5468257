"""Documents by key: any key, any JSON object, each call its own copy."""

from typing import Any

from sojourn.store.protocol import Store
from sojourn.testing.expectations import expect, expect_equal
from sojourn.testing.factories import ODD_TEXTS
from sojourn.testing.suite.check import on_store

ODD_KEYS = (
    "",
    "a:b",
    "a__b",
    "a/b",
    "a\\b",
    "..",
    "../../etc/passwd",
    "/",
    ".",
    "con",
    "a%b_c*d?e[f]",
    "%2e%2e",
    "k" * 10_000,
    "Ω" * 10_000,
    "Case",
    "case",
    "CASE",
    "e\u0301",
    "\u00e9",
    "trailing ",
    "trailing",
    "trailing.",
    "\n",
    *(text for text in ODD_TEXTS if text),
)


@on_store
async def a_document_is_loaded_as_it_was_saved(store: Store) -> None:
    document: dict[str, Any] = {"a": [1, 2.5, None, True, {"b": "c"}], "": {}, "big": 2**100, "text": "\0é👩‍👩‍👧"}
    await store.documents.save("k", document)
    expect_equal(await store.documents.load("k"), document, "the document")
    expect(await store.documents.exists("k"), "it exists")


@on_store
async def a_document_that_is_not_there_is_none(store: Store) -> None:
    expect_equal(await store.documents.load("k"), None, "what is loaded")
    expect(not await store.documents.exists("k"), "it does not exist")


@on_store
async def any_key_leads_to_its_own_document(store: Store) -> None:
    for number, key in enumerate(ODD_KEYS):
        await store.documents.save(key, {"number": number})
    for number, key in enumerate(ODD_KEYS):
        expect_equal(await store.documents.load(key), {"number": number}, f"the document of {key!r:.40}")
    keys = await store.documents.list_keys()
    expect_equal((len(keys), set(keys)), (len(ODD_KEYS), set(ODD_KEYS)), "the keys")


@on_store
async def saving_replaces_the_document(store: Store) -> None:
    await store.documents.save("k", {"a": 1})
    await store.documents.save("k", {"b": 2})
    await store.documents.save("k", {})
    expect_equal(await store.documents.load("k"), {}, "the document")
    expect_equal(await store.documents.list_keys(), ["k"], "the keys")


@on_store
async def deleting_removes_one_document_and_may_be_repeated(store: Store) -> None:
    await store.documents.save("k", {"a": 1})
    await store.documents.save("kk", {"b": 2})
    await store.documents.delete("k")
    await store.documents.delete("k")
    await store.documents.delete("never there")
    expect_equal(await store.documents.list_keys(), ["kk"], "the keys")


@on_store
async def keys_are_listed_by_prefix_and_sorted(store: Store) -> None:
    for key in ("b", "a/2", "a/1", "a", "A", "a%", "a_", "ab", "é"):
        await store.documents.save(key, {})
    for prefix, wanted in (
        ("", ["A", "a", "a%", "a/1", "a/2", "a_", "ab", "b", "é"]),
        ("a", ["a", "a%", "a/1", "a/2", "a_", "ab"]),
        ("a/", ["a/1", "a/2"]),
        ("a%", ["a%"]),
        ("a_", ["a_"]),
        ("é", ["é"]),
        ("none", []),
    ):
        expect_equal(await store.documents.list_keys(prefix), wanted, f"the keys with {prefix!r}")


@on_store
async def nobody_shares_a_document_in_memory(store: Store) -> None:
    document: dict[str, Any] = {"list": [1]}
    await store.documents.save("k", document)
    document["list"].append(2)
    loaded = await store.documents.load("k")
    expect_equal(loaded, {"list": [1]}, "the document after its author changed his")
    if loaded is not None:
        loaded["list"].append(3)
    expect_equal(await store.documents.load("k"), {"list": [1]}, "the document after a reader changed his")
