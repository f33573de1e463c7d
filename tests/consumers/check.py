"""Loads every export with its consumer's own code, and counts rows: whatever goes in must come out.

usage: check.py FOLDER   (FOLDER/<dialect>/train.* as `fcgen export` wrote them)
"""
import importlib.abc
import importlib.machinery
import json
import pathlib
import re
import sys
import types
from unittest.mock import MagicMock

import datasets

# What a trainer trains with and its converter does not: names that are there and do nothing.
HEAVY = {"torch", "torchaudio", "torchvision", "transformers", "peft", "accelerate", "av", "librosa", "PIL", "omegaconf", "tyro", "trl"}


class Hollow(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {}) if name[0].isupper() else MagicMock(name=name)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in HEAVY:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Hollow(spec.name)

    def exec_module(self, module):
        pass


folder = pathlib.Path(sys.argv[1])
failed = []


def lines(name):
    return [json.loads(line) for line in (folder / name).open(encoding="utf-8")]


def told(name, wanted, kept, note=""):
    print(f"{name}: {wanted} rows in, {kept} kept {note}".rstrip())
    if wanted != kept or wanted == 0:
        failed.append(name)


def load(kind, name, **options):
    return datasets.load_dataset(kind, data_files=str(folder / name), split="train", cache_dir=str(folder / "cache"), **options)


def arrow():
    rows = lines("trl-arrow/train.jsonl")
    loaded = load("json", "trl-arrow/train.jsonl")
    told("datasets, trl-arrow", len(rows), loaded.num_rows)
    for row, back in zip(rows, loaded):
        if row["messages"] != back["messages"] or json.loads(row["tools"]) != json.loads(back["tools"]):
            failed.append(f"datasets, trl-arrow: {row['id']} is not what it was")
            break
    columns = load("parquet", "parquet/train.parquet")
    told("datasets, parquet", len(rows), columns.num_rows)
    for row, back in zip(rows, columns):
        if row["messages"] != back["messages"] or row["tools"] != back["tools"]:
            failed.append(f"datasets, parquet: {row['id']} is not what it was")
            break


def trl():
    rows = lines("trl/train.jsonl")
    try:
        loaded = load("json", "trl/train.jsonl", on_mixed_types="use_json")
    except (TypeError, ValueError) as error:
        return print(f"datasets, trl: this version has no Json type: {error}")
    told("datasets, trl", len(rows), loaded.num_rows, f"(datasets {datasets.__version__})")


def csv():
    told("datasets, csv", len(lines("trl/train.jsonl")), load("csv", "csv/train.csv").num_rows)


def openai():
    """The checks that OpenAI publishes for files of fine-tuning, as rules."""
    rows, kept = lines("openai/train.jsonl"), 0
    for at, row in enumerate(rows):
        faults, open_ids = [], []
        for message in row["messages"]:
            if set(message) - {"role", "content", "tool_calls", "tool_call_id", "name", "weight"}:
                faults.append("unrecognised key")
            if message["role"] not in ("system", "user", "assistant", "tool"):
                faults.append("unrecognised role")
            if not isinstance(message.get("content", ""), str) or not (message.get("content") or message.get("tool_calls")):
                if message["role"] != "tool":
                    faults.append("missing content")
            if message["role"] == "tool":
                if message["tool_call_id"] not in open_ids:
                    faults.append("answer without a call")
                else:
                    open_ids.remove(message["tool_call_id"])
            elif open_ids:
                faults.append("call without an answer")
            for call in message.get("tool_calls", []):
                open_ids.append(call["id"])
                if not isinstance(json.loads(call["function"]["arguments"]), dict):
                    faults.append("arguments are no object")
                if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", call["function"]["name"]):
                    faults.append("name")
        if not any(message["role"] == "assistant" for message in row["messages"]):
            faults.append("no assistant message")
        if faults:
            failed.append(f"openai, line {at + 1}: {faults}")
        else:
            kept += 1
    told("openai's rules", len(rows), kept)


def llamafactory():
    sys.meta_path.insert(0, Finder())
    try:
        from llamafactory.data.converter import SharegptDatasetConverter
        from llamafactory.data.parser import DatasetAttr
    except Exception as error:  # whatever a trainer needs and a checker has not
        return print(f"llamafactory: its converter cannot be loaded here: {error!r}")
    info = json.loads((folder / "llamafactory/dataset_info.json").read_text(encoding="utf-8"))["fcgen_train"]
    attributes = DatasetAttr("file", info["file_name"])
    attributes.join(info)
    arguments = type("Arguments", (), {"media_dir": ".", "dataset_dir": str(folder)})()
    converter = SharegptDatasetConverter(attributes, arguments)
    rows = lines("llamafactory/train.jsonl")
    kept = sum(bool(converted["_prompt"] and converted["_response"]) for converted in map(converter, rows))
    told("llamafactory's converter", len(rows), kept)


for check in (arrow, trl, csv, openai, llamafactory):
    check()
if failed:
    sys.exit("failed: " + "; ".join(map(str, failed[:10])))
