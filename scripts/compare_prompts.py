#!/usr/bin/env python3
"""Compares what fcgen sends with `--prompts` with what the authors' own functions make of the same items, character by
character.

    scripts/compare_prompts.py CHECKOUT DATA PROMPTS [--fcgen PROGRAM] [--items 20]

CHECKOUT is a repository of the authors (HammerBench: commit 9e1b0bf), DATA a benchmark in their layout (often a folder of
the checkout; ComplexFuncBench: a file of rows), PROMPTS what scripts/authors_prompts.py wrote. A few items of each file
are copied to a folder of their own; fcgen asks a server about them that this script is, and that keeps each request. The
authors' functions are called, or their scripts run, with stand-ins for the packages that reach models. Nothing leaves
this machine. FunctionChat-Bench needs the package pydantic. Exits with 1 where anything differs.
"""

import argparse
import ast
import contextlib
import importlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent))
import authors_prompts as authors  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("prompts", type=Path)
    parser.add_argument("--fcgen", default="fcgen", help="the program (`fcgen` where absent)")
    parser.add_argument("--items", type=int, default=20, help="at least so many items (20 where absent)")
    parser.add_argument("--template", default="llama", help="HammerBench: as for authors_prompts.py")
    arguments = parser.parse_args()
    suite, _, _ = authors.prompts_of(arguments.checkout, arguments.template)
    differ = 0
    with Server() as server, tempfile.TemporaryDirectory() as folder:
        run = Run(arguments, server, Path(folder), suite)
        for what, expected, sent in globals()[suite](run):
            # fcgen sends equal requests once.
            items, expected, sent = len(expected), dict.fromkeys(expected), dict.fromkeys(sent)
            missing, surplus = ([text for text in one if text not in other] for one, other in [(expected, sent), (sent, expected)])
            equal = len(expected) - len(missing)
            told = f"{items} items, {len(expected)} different prompts, {equal} equal, {len(surplus)} others sent"
            print(f"{suite}, {what}: {told}")
            differ += len(missing) + len(surplus) + (not expected)
            for one in missing[:1]:
                near = max(surplus, key=lambda other: shared(one, other), default="")
                print(f"  authors: {around(one, near)}\n  fcgen:   {around(near, one)}")
    sys.exit(1 if differ else 0)


def shared(one, other):
    """How much of two texts is the same, from both ends."""
    return sum(len(os.path.commonprefix(pair)) for pair in [(one, other), (one[::-1], other[::-1])])


def around(text, other):
    """Where two texts part."""
    at = next((at for at, pair in enumerate(zip(text, other)) if pair[0] != pair[1]), min(len(text), len(other)))
    return f"at {at}: {text[max(0, at - 60) : at + 60]!r}"


class Server:
    """Answers every chat completion, and keeps what it was asked."""

    def __enter__(self):
        bodies = self.bodies = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                bodies.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                message = {"role": "assistant", "content": "True\n[[1.0]]\n{\"score\": 2, \"is_equal\": true}\npass"}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
                answer = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}
                text = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()


class Run:
    """The arguments, and fcgen's requests."""

    def __init__(self, arguments, server, folder, suite):
        self.checkout, self.data, self.items = arguments.checkout.resolve(), arguments.data.resolve(), arguments.items
        self.template, self.program, self.prompts = arguments.template, arguments.fcgen, arguments.prompts.resolve()
        self.server, self.folder, self.suite, self.count = server, folder, suite, 0

    def predict(self, bench, *more):
        self.count += 1
        out = self.folder / f"predictions-{self.count}.jsonl"
        model = ["--model", "m", "--base-url", self.server.url, "--prompts", self.prompts, "--out", out]
        return self.sent(["predict", bench, *model, *more])

    def score(self, bench, predictions, *more):
        self.count += 1
        path = self.folder / f"said-{self.count}.jsonl"
        path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in predictions), encoding="utf-8")
        judge = ["--judge-model", "m", "--judge-base-url", self.server.url, "--prompts", self.prompts]
        kept = ["--judgements", self.folder / f"judgements-{self.count}.jsonl"]
        return self.sent(["score", bench, "--predictions", path, *judge, *kept, *more])

    def sent(self, words):
        self.server.bodies.clear()
        environment = {**os.environ, "OPENAI_API_KEY": "none"}
        done = subprocess.run(
            [self.program, *map(str, words)], cwd=self.folder, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            sys.exit(f"error: fcgen {' '.join(map(str, words))}\n{done.stderr}")
        return list(self.server.bodies)

    def write(self, name, value):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
        path.write_text(text, encoding="utf-8")
        return path


def texts(body):
    """The messages of a request as a text, each behind its role."""
    return "\n".join(f"=== {message['role']}\n{message['content']}" for message in body["messages"])


def told(system, user):
    parts = [("system", system), ("user", user)]
    return "\n".join(f"=== {role}\n{text}" for role, text in parts if text)


# ---------------------------------------------------------------------------------------------------- HammerBench


def hammerbench(run):
    files = sorted(path for path in run.data.glob("**/*.json") if path.parent.name in ["single-turn", "multi-turn"])
    each = -(-run.items // len(files))
    write = getattr(authors.module(run.checkout, "template.py"), f"{run.template}_model_input")
    judge = authors.module(run.checkout, "evaluation/prompt_judge.py")
    judge.json = json
    expected, judged, predictions = [], [], []
    for file in files:
        items = json.loads(file.read_text(encoding="utf-8"))[:each]
        run.write(f"data/{file.relative_to(run.data)}", items)
        marks = run.data / file.parent.relative_to(run.data) / "snapshot_id" / file.name.replace("HammerBench_", "snap_shot_id_")
        if marks.is_file():
            kept = json.loads(marks.read_text(encoding="utf-8"))[:each]
            run.write(f"data/{marks.relative_to(run.data)}", kept)
        locale = file.relative_to(run.data).parts[0]
        data_type = file.stem.replace("HammerBench_", "").replace("_", "-")
        for at, item in enumerate(items):
            history, turn = [], 0
            for place, message in enumerate(item["messages"]):
                # As the authors' inference.py does it.
                if message["role"] == "assistant":
                    history.append("assistant:" + message["content"])
                if message["role"] != "user":
                    continue
                history.append("user:" + message["content"])
                query, turn = "\n".join(history), turn + 1
                tools = item["multiple_tools"] if place == 0 else item["single_tool"]
                expected.append(told(*authors.messages(write(query, tools, "null")[0], run.template)))
                label = item["messages"][place + 1]["content"]
                if not isinstance(label, dict) or data_type.startswith("ir-") or not label["arguments"]:
                    continue
                said = {name: f"{value}, é" for name, value in label["arguments"].items()}
                ask = judge.LLM_label_param_zh if locale == "zh" else judge.LLM_label_param
                judged.append(told(*authors.messages(ask(query, said, label["arguments"]), "judge")))
                call = json.dumps({"name": label["name"], "parameters": said}, ensure_ascii=False)
                number = item.get("id", at)
                predictions.append({"id": f"{locale}/{data_type}_{number}_{turn}", "turns": [{"content": call}]})
    bench = run.folder / "data"
    yield "asked", expected, [texts(body) for body in run.predict(bench, "--candidates", "upstream")]
    # Pairs whose parameters the authors' own judge would be shown: the names agree, the values do not.
    sent = [texts(body) for body in run.score(bench, predictions, "--profile", "upstream")]
    yield "judged", judged, sent


# ------------------------------------------------------------------------------------------------------- CallNavi


def callnavi(run):
    data = run.data if (run.data / "APIs").is_dir() else run.data / "Dataset"
    domains = sorted(path.stem for path in (data / "Questions").glob("*.json"))
    each, predictions = -(-run.items // len(domains)), []
    for domain in domains:
        questions = json.loads((data / f"Questions/{domain}.json").read_text(encoding="utf-8"))[:each]
        # The second one is judged by what is not its truth, so that two JSON objects are shown.
        run.write(f"Dataset/Questions/{domain}.json", questions)
        washed = []
        for question in questions:
            said = {"API": question["ground_truth"]["API"], "parameters": [{"note": "1 é"}]}
            washed.append({"predict": said, "ground_truth": question["ground_truth"]})
            text = json.dumps(said, ensure_ascii=False)
            predictions.append({"id": question["id"], "task": "parameters", "turns": [{"content": text}]})
        run.write(f"Dataset/results_washed/{domain}_1_washed_m.json", washed)
        for kind in ["APIs", "APISchema"]:
            run.write(f"Dataset/{kind}/{domain}.json", (data / f"{kind}/{domain}.json").read_text(encoding="utf-8"))
    bench = run.folder / "Dataset"
    (bench / ".Dataset").symlink_to(bench)
    (bench / "results_stab").mkdir()
    asked = script(run.checkout / "predict.py", bench, domains)
    yield "asked for calls", asked, [texts(body) for body in run.predict(bench, "--task", "parameters")]
    routed = script(run.checkout / "APIOnly.py", bench, domains)
    sent = [texts(body) for body in run.predict(bench, "--task", "routing")]
    # The authors' script knows one domain, whose APIs no other has.
    first = json.loads((data / "APIs/bank.json").read_text(encoding="utf-8"))["api_ports"][0]["name"]
    yield "asked for names (bank, the only domain of the authors' script)", routed, [it for it in sent if first in it]
    judged = script(run.checkout / "Judge_para.py", bench, domains)
    yield "judged", judged, [texts(body) for body in run.score(bench, predictions, "--profile", "upstream")]


def script(path, folder, domains):
    """Runs a script of the authors on the data of a folder, with one model, once; what it would have asked."""
    asked = []

    def answer(**request):
        asked.append(texts(request))
        choice = SimpleNamespace(message=SimpleNamespace(content="[[1.0]]"))
        return mock.MagicMock(choices=[choice], __getitem__=lambda *_: {"content": "x"})

    client = mock.MagicMock()
    client.chat.side_effect = answer
    client.chat.completions.create.side_effect = answer
    packages = {
        "openai": SimpleNamespace(OpenAI=lambda *_, **__: client),
        "ollama": SimpleNamespace(Client=lambda *_, **__: client),
        "tqdm": SimpleNamespace(tqdm=lambda items: items),
    }
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ["modelst", "datalst"]:
            values = ["m"] if ast.unparse(node.targets[0]) == "modelst" else domains
            node.value = ast.parse(repr(values), mode="eval").body
        if isinstance(node, ast.For) and ast.unparse(node.iter) == "range(5)":
            node.iter = ast.parse("range(1)", mode="eval").body
    before = os.getcwd()
    os.chdir(folder)
    try:
        with mock.patch.dict(sys.modules, packages), contextlib.redirect_stdout(io.StringIO()):
            exec(compile(tree, str(path), "exec"), {"__name__": "__main__"})
    finally:
        os.chdir(before)
    return asked


# --------------------------------------------------------------------------------------------- FunctionChat-Bench


def imported(name, packages):
    """A module of the authors, where every package that is not here is a stand-in."""
    while True:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name in packages or error.name.split(".")[0] in ["src", "runner", "utils", "prompts", "models"]:
                raise
            packages.add(error.name)
            sys.modules[error.name] = mock.MagicMock(__path__=[], __spec__=None)


def functionchat(run):
    packages = {"tqdm": SimpleNamespace(tqdm=lambda items, **_: items)}
    sys.path.insert(0, str(run.checkout))
    with mock.patch.dict(sys.modules, packages), contextlib.redirect_stdout(io.StringIO()):
        creator = imported("src.payload_creator", set()).PayloadCreatorFactory
        handler = imported("src.evaluation_handler", set()).EvaluationHandler
        requests = payloads(run, creator)
    bench = run.folder / "data"
    sent = run.predict(bench)
    yield "asked: words and tools", [plain(request) for _, request in requests], [plain(body) for body in sent]
    exact, spoken = ([calls(body) for body in bodies] for bodies in ([it for _, it in requests], sent))
    yield "asked: arguments of earlier calls, as objects", sum(exact, []), sum(spoken, [])
    rubrics = {kind: authors.text_of(run.checkout / f"data/rubric_{kind}.txt").strip() for kind in ["call", "completion", "slot", "relevance"]}
    myself = SimpleNamespace(rubric_prompts=rubrics, clean_tool_calls=lambda tools: handler.clean_tool_calls(None, tools))
    judged, predictions = [], []
    for id_, request in requests:
        request.setdefault("type_of_output", "call")
        out = {"role": "assistant", "content": "안녕 \"é\"", "tool_calls": None}
        predictions.append({"id": id_, "turns": [{"content": out["content"]}]})
        judged.append(told("", handler.get_input_prompt(myself, request, out)))
    sent = run.score(bench, predictions, "--profile", "upstream")
    yield "judged", judged, [texts(body) for body in sent]


def payloads(run, creator):
    """The authors' requests for a few lines of each file, with fcgen's ids."""
    found, system = [], str(run.checkout / "data/system_prompt.txt")
    for kind, file, lines in [
        ("singlecall", "FunctionChat-Singlecall.jsonl", 3),
        ("dialog", "FunctionChat-Dialog.jsonl", 8),
        ("common", "FunctionChat-CallDecision.jsonl", 20),
    ]:
        text = "".join((run.data / file).read_text(encoding="utf-8").splitlines(keepends=True)[:lines])
        path = run.write(f"data/{file}", text)
        more = {"tools_type": "all"} if kind == "singlecall" else {}
        kept = str(run.folder / f"request-{kind}.jsonl")
        for request in creator.get_payload_creator(kind, 0.1, system).create_payload(
            input_file_path=str(path), request_file_path=kept, reset=True, **more
        ):
            id_ = {
                "singlecall": f"singlecall/{request['serial_num']}/{request.get('tools_type')}",
                "dialog": f"dialog/{request['serial_num']}",
                "common": f"calldecision/{request['serial_num']}",
            }[kind]
            found.append((id_, request))
    return found


def plain(request):
    """What is said in a request and its tools, for the characters; calls are compared by themselves."""
    said = [(message["role"], message.get("content")) for message in request["messages"]]
    return json.dumps([said, request["tools"]], ensure_ascii=False, sort_keys=False)


def calls(request):
    made = [call["function"] for message in request["messages"] for call in message.get("tool_calls") or []]
    return [json.dumps([call["name"], json.loads(call["arguments"])], ensure_ascii=False) for call in made]


# ----------------------------------------------------------------------------------------------- ComplexFuncBench


def complexfuncbench(run):
    rows = [json.loads(line) for line in run.data.read_text(encoding="utf-8").splitlines()][: run.items]
    bench = run.write("ComplexFuncBench.jsonl", "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    toolset = run.data.parent / "toolset.json"
    if toolset.is_file():
        # A rule in it would stand in for the judge.
        run.write("toolset.json", {key: value for key, value in json.loads(toolset.read_text(encoding="utf-8")).items() if key != "judge"})
    sys.path.insert(0, str(run.checkout))
    with mock.patch.dict(sys.modules):
        runner = imported("runner.gpt_runner", set()).GPTRunner
        compare = imported("utils.compare_method", set()).CompareFCBase
        response = imported("prompts.response", set())
    first, complete, correct, predictions = [], [], [], []
    for row in rows:
        tools = runner.get_standard_functions(SimpleNamespace(replace_invalid_chars=lambda s: runner.replace_invalid_chars(None, s)), row["functions"])
        query, answer = row["conversations"][0]["content"], "It is \"so\". é"
        first.append(json.dumps([[["user", query]], tools], ensure_ascii=False))
        values = {"query": query, "gen_response": answer}
        complete.append(told(response.complete_system_prompt, response.complete_user_prompt(**values)))
        values = {"history": json.dumps(row["conversations"][:-1], ensure_ascii=False), "gen_response": answer}
        correct.append(told(response.correct_system_prompt, response.correct_user_prompt(**values)))
        turns = [{"tool_calls": wrong(turn["function_call"])} for turn in row["conversations"] if "function_call" in turn]
        predictions.append({"id": row["id"], "turns": turns + [{"content": answer}]})
    sent = [json.dumps([[[it["role"], it["content"]] for it in body["messages"]], body["tools"]], ensure_ascii=False) for body in run.predict(bench)]
    yield "asked", first, sent
    said = [texts(body) for body in run.score(bench, predictions, "--profile", "upstream")]
    kinds = [("complete", complete, response.complete_system_prompt), ("correct", correct, response.correct_system_prompt)]
    for kind, expected, system in kinds:
        yield f"judged, {kind}", expected, [text for text in said if text.startswith(told(system, ""))]
    same = [text for text in said if not any(text.startswith(told(system, "")) for _, _, system in kinds)]
    yield "judged, two calls (by the values in fcgen's request)", [again(compare, rows, text) for text in same], same


def wrong(calls):
    """The golden calls, where a text is another one, so that a judge has to look."""
    changed = json.loads(json.dumps(calls))
    for call in changed:
        for name, value in call["arguments"].items():
            if isinstance(value, str) and name in ["query", "item"]:
                call["arguments"][name] = value + ", Northland é"
    return [[call["name"], json.dumps(call["arguments"], ensure_ascii=False)] for call in changed]


def again(compare, rows, text):
    """What the authors' function makes of the values that stand in a request."""
    blocks = [block.split("\n```", 1)[0] for block in text.rsplit("=== user\n", 1)[1].split("```JSON\n")[1:5]]
    functions, history, predicted, golden = map(json.loads, blocks)
    assert any(functions == row["functions"] and history[0] == row["conversations"][0] for row in rows)
    asked = []

    def model(system, user, **values):
        asked.append(told(system, user(**values)))
        return '{"is_equal": true}'

    compare.llm_based(SimpleNamespace(model=model, logger=mock.MagicMock()), functions, history, predicted, golden)
    return asked[0]


if __name__ == "__main__":
    main()
