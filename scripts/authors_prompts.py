#!/usr/bin/env python3
"""Writes a folder of prompts for `fcgen predict --prompts` and `fcgen score --prompts` from a checkout of the authors'
repository: HammerBench, CallNavi, FunctionChat-Bench or ComplexFuncBench, which is found out from its files.

    scripts/authors_prompts.py CHECKOUT OUT [--template llama|qwen25|xlam]

The texts stay the authors': this script holds none of them. It calls their functions with marks in the place of what is
filled in, or reads their scripts without running them, and puts expressions of fcgen's templates where the marks are.
docs/prompts.md says which file replaces which prompt. Python 3.9 or later, no packages.

HammerBench's later commits have no prompts: take commit 9e1b0bf or an earlier one (`git checkout 9e1b0bf`).
"""

import argparse
import ast
import importlib.util
import json
import re
import sys
from pathlib import Path

# What chat templates put around a system's and a user's message; fcgen sends these as messages.
WRAPPED = [
    re.compile(
        r"(<\|begin_of_text\|><\|start_header_id\|>system<\|end_header_id\|>\n\n)(.*?)"
        r"(<\|eot_id\|><\|start_header_id\|>user<\|end_header_id\|>\n\n)(.*)"
        r"(<\|eot_id\|><\|start_header_id\|>assistant<\|end_header_id\|>\n)",
        re.S,
    ),
    re.compile(
        r"(<\|im_start\|>system\n)(.*?)(<\|im_end\|>\n<\|im_start\|>user\n)(.*)(<\|im_end\|>\n<\|im_start\|>assistant\n)",
        re.S,
    ),
]


class Problem(Exception):
    """Why a checkout cannot be read."""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, help="the authors' repository")
    parser.add_argument("out", type=Path, help="the folder for `--prompts`; the suite's own folder is made in it")
    parser.add_argument("--template", default="llama", help="HammerBench: llama (where absent), qwen25 or xlam")
    arguments = parser.parse_args()
    try:
        suite, prompts, notes = prompts_of(arguments.checkout, arguments.template)
    except Problem as problem:
        sys.exit(f"error: {problem}")
    folder = arguments.out / suite
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in prompts.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8", newline="")
        print(folder / f"{name}.md")
    for note in notes:
        print(f"note: {note}", file=sys.stderr)


def prompts_of(checkout, template="llama"):
    """The suite of a checkout, its prompts by the names of their files, and what people should know."""
    if not checkout.is_dir():
        raise Problem(f"`{checkout}` is no folder")
    for file, suite, read in [
        ("data/rubric_call.txt", "functionchat", functionchat),
        ("prompts/compare.py", "complexfuncbench", complexfuncbench),
        ("Judge_para.py", "callnavi", callnavi),
        ("evaluation/process_output.py", "hammerbench", lambda at: hammerbench(at, template)),
    ]:
        if (checkout / file).is_file():
            prompts, notes = read(checkout)
            return suite, prompts, notes
    raise Problem(
        f"`{checkout}` is none of the four repositories: there is no data/rubric_call.txt (FunctionChat-Bench), "
        "prompts/compare.py (ComplexFuncBench), Judge_para.py (CallNavi) or evaluation/process_output.py (HammerBench)"
    )


# ---------------------------------------------------------------------------------------------------- HammerBench


def hammerbench(checkout, template):
    if not (checkout / "template.py").is_file():
        raise Problem(
            f"`{checkout / 'template.py'}` is not there: later commits of HammerBench have no prompts; "
            "run `git checkout 9e1b0bf` in the checkout"
        )
    write = getattr(module(checkout, "template.py"), f"{template}_model_input", None)
    if write is None:
        raise Problem(f"template.py has no `{template}_model_input`")
    query, tools = mark("query"), [{"name": mark("a") + "é"}, {"name": mark("b")}]
    text, _ = write(query, tools, "null")
    fills = {shown: expression for shown, expression in shown_tools(tools) if shown in text}
    if len(fills) != 1 or query not in text:
        raise Problem(f"`{template}_model_input` writes its tools in a way that this script does not know")
    system, user = messages(text, template)
    fills[query] = "{{ dialogue }}"
    prompts = {"predict": prompt(filled(system, fills), filled(user, fills))}
    judge = module(checkout, "evaluation/prompt_judge.py")
    # It uses the module without importing it.
    judge.json = json
    for name, function in [("judge_call", "LLM_label_param"), ("judge_call.zh", "LLM_label_param_zh")]:
        output, label = {mark("output"): ""}, {mark("label"): ""}
        text = getattr(judge, function)(query, output, label)
        system, user = messages(text, function)
        fills = {
            query: "{{ query }}",
            json.dumps(output): "{{ output | sorted_keys | python_json }}",
            json.dumps(label): "{{ label | sorted_keys | python_json }}",
        }
        prompts[name] = prompt(filled(system, fills), filled(user, fills))
    return prompts, ["the authors show the right tool alone after the first turn: ask with `--candidates upstream`"]


def shown_tools(tools):
    """The ways in which a list of tools may be written, each with what writes it in a template."""
    wrapped = [{"type": "function", "function": tool} for tool in tools]
    loop = "{{% for tool in tools %}}{{{{ tool | python_json{} }}}}{{% if not loop.last %}}\n{{% endif %}}{{% endfor %}}"
    yield "\n".join(json.dumps(tool, indent=4, ensure_ascii=False) for tool in tools), loop.format("(indent=4)")
    yield "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools), loop.format("")
    yield json.dumps(tools, ensure_ascii=False), "{{ tools | python_json }}"
    yield json.dumps(wrapped, ensure_ascii=False), (
        '[{% for tool in tools %}{"type": "function", "function": {{ tool | python_json }}}'
        "{% if not loop.last %}, {% endif %}{% endfor %}]"
    )


def messages(text, name):
    """The system's and the user's message within a chat template; a text without one is the user's."""
    for wrapped in WRAPPED:
        match = wrapped.fullmatch(text)
        if match:
            return match[2], match[4]
    if "<|" in text or "[INST]" in text:
        raise Problem(f"`{name}` is written for raw completion by a chat template that this script does not know")
    return "", text


# ------------------------------------------------------------------------------------------------------- CallNavi


def callnavi(checkout):
    prompts = {}
    for name, file in [("route", "APIOnly.py"), ("route_calls", "predict.py")]:
        script = Script(checkout / file)
        prompts[name] = prompt("", script.template(script.value("prompt")))
    backward = Script(checkout / "Backward.py")
    begin, loop = (backward.template(backward.value(name)) for name in ["prompt_begin", "prompt_loop"])
    prompts["route_backward"] = prompt("", "{% if round == 0 %}" + begin + "{% else %}" + loop + "{% endif %}")
    judge = Script(checkout / "Judge_para.py")
    prompts["judge_callnavi"] = prompt("", judge.template(judge.argument("call_response")))
    return prompts, [
        "Backward.py puts the whole record of a question into its prompt, the right answer included: route_backward.md "
        "has the question alone in its place",
        "the prompts for YAML (YAML/YAML_prediction.py), of a second step behind a router (Asyn.py) and for mending "
        "(wash.py) are not written",
    ]


class Script:
    """A script of the authors, read and not run: how it puts its prompt together, as a template."""

    def __init__(self, path):
        if not path.is_file():
            raise Problem(f"`{path}` is not there")
        self.path = path
        self.tree = ast.parse(path.read_text(encoding="utf-8"))

    def value(self, name):
        """What is last assigned to a name."""
        found = [
            node.value
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in node.targets)
        ]
        if not found:
            raise Problem(f"`{self.path}` assigns nothing to `{name}`")
        return found[-1]

    def argument(self, function):
        """The argument of the call of a function that holds more than a name."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function:
                if isinstance(node.args[0], ast.BinOp):
                    return node.args[0]
        raise Problem(f"`{self.path}` does not call `{function}`")

    def template(self, node):
        """An expression that is a text, as a template."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return escaped(node.value)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.template(node.left) + self.template(node.right)
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.FormattedValue) else part for part in node.values)
            return "".join(self.template(part) for part in parts)
        if isinstance(node, ast.Name) and node.id == "func":
            return self.functions()
        # The record of a question holds its right answer as well.
        if isinstance(node, ast.Name) and node.id == "q":
            return "{{ query }}"
        if isinstance(node, ast.Name) and node.id not in ["a", "key"]:
            return self.template(self.value(node.id))
        return "{{ " + self.expression(node) + " }}"

    def expression(self, node):
        """An expression within a template."""
        if isinstance(node, ast.Name):
            return {"API": "apis"}.get(node.id, node.id)
        if isinstance(node, ast.Subscript):
            path = keys(node)
            if path[-1] == "content":
                return "query"
            if path[-1] in ["predict", "ground_truth"]:
                return {"predict": "output", "ground_truth": "label"}[path[-1]]
            if path[0] == "a" and len(path) == 2:
                return f"a[{json.dumps(path[1])}]"
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "str":
                return self.expression(node.args[0]) + " | python_str"
            if isinstance(node.func, ast.Attribute) and node.func.attr == "replace":
                old, new = (json.dumps(ast.literal_eval(argument)) for argument in node.args)
                return f"{self.expression(node.func.value)} | replace({old}, {new})"
            if ast.unparse(node.func) == "json.dumps" and len(node.args) == 1 and not node.keywords:
                return self.expression(node.args[0]) + " | python_json(ascii=true)"
        raise Problem(f"`{self.path}`, line {node.lineno}: this script does not know `{ast.unparse(node)}`")

    def functions(self):
        """How the APIs become a text: the loop that adds to `func`."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.For) and isinstance(node.iter, ast.Name) and node.iter.id == "API":
                return "{% for a in apis %}" + "".join(map(self.added, node.body)) + "{% endfor %}"
        raise Problem(f"`{self.path}` has no loop over its APIs")

    def added(self, node):
        if isinstance(node, ast.AugAssign) and ast.unparse(node.target) == "func":
            return self.template(node.value)
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and node.target.id == "key":
            return "{% for key in " + self.expression(node.iter) + " %}" + "".join(map(self.added, node.body)) + "{% endfor %}"
        raise Problem(f"`{self.path}`, line {node.lineno}: this script does not know `{ast.unparse(node)}`")


def keys(node):
    """The name and the constant keys of nested subscripts."""
    path = []
    while isinstance(node, ast.Subscript):
        path.insert(0, node.slice.value if isinstance(node.slice, ast.Constant) else None)
        node = node.value
    return [node.id if isinstance(node, ast.Name) else None] + path


# --------------------------------------------------------------------------------------------- FunctionChat-Bench


def functionchat(checkout):
    # The authors strip these files, too.
    system = text_of(checkout / "data/system_prompt.txt").strip()
    prompts = {"functionchat_system": prompt(escaped(system), None)}
    own = {"role": "system", "content": system}
    opening = "{% set messages = dialog if dialog[0].role == 'system' else [own] + dialog %}"
    fills = {
        mark("tools"): "{{ tools | python_json }}",
        mark("query"): "{{ messages | python_arguments | python_json }}",
        mark("response"): (
            '{"role": "assistant", "content": {{ response.content | python_json }}, "tool_calls": '
            "{{ response.tool_calls | default(none) | python_arguments | python_json }}}"
        ),
        mark("acceptable_arguments"): (
            "{{ (acceptable_arguments | python_json if acceptable_arguments is mapping else acceptable_arguments) | python_json }}"
        ),
    }
    call = (
        # In the data, single calls have their arguments without blanks, and those of dialogs with them.
        "{% set call = gold.tool_calls[0].function %}{% if id is startingwith('singlecall/') %}"
        '{"name": {{ call.name | python_json }}, "arguments": {{ call.arguments | python_json }}, "tool_calls": null}'
        "{% else %}{% set call = call | python_arguments %}"
        '{"role": "assistant", "content": null, "tool_calls": [{"type": "function", "function": '
        "{{ call | python_json }}}]}{% endif %}"
    )
    text = '{"role": "assistant", "content": {{ gold.content | python_json }}, "tool_calls": null}'
    for kind in ["call", "completion", "slot", "relevance"]:
        rubric = text_of(checkout / f"data/rubric_{kind}.txt").strip()
        names = ["tools", "query", "ground_truth", "acceptable_arguments", "response"]
        shown = rubric.format(**{name: mark(name) for name in names})
        fills[mark("ground_truth")] = call if kind == "call" else text
        literal = "{% set own = " + json.dumps(own, ensure_ascii=False) + " %}"
        prompts[f"judge_functionchat_{kind}"] = prompt("", literal + opening + filled(shown, fills))
    return prompts, ["the authors use native tools, and so does `fcgen predict --prompts`"]


def text_of(path):
    if not path.is_file():
        raise Problem(f"`{path}` is not there")
    return path.read_text(encoding="utf-8")


# ----------------------------------------------------------------------------------------------- ComplexFuncBench


def complexfuncbench(checkout):
    sys.path.insert(0, str(checkout))
    try:
        for name in [name for name in sys.modules if name == "prompts" or name.startswith("prompts.")]:
            del sys.modules[name]
        compare, response = (module(checkout, f"prompts/{name}.py") for name in ["compare", "response"])
    finally:
        sys.path.remove(str(checkout))
    turns = (
        '[{"role": "user", "content": {{ query | python_json }}}{% for turn in dialogue %}, {"role": "assistant", '
        '"function_call": {{ turn.calls | python_json }}}, {"role": "observation", "content": '
        "{{ turn.answers | python_json }}}{% endfor %}]"
    )
    sorted_call = '{{"name": {{{{ {0}.name | python_json }}}}, "arguments": {{{{ {0}.arguments | sorted_keys | python_json }}}}}}'
    written = {
        "judge_same_call": (
            compare.system_prompt,
            compare.user_prompt,
            {
                "functions": "{{ functions | python_json }}",
                "history": turns,
                "function_call_1": sorted_call.format("output"),
                "function_call_2": sorted_call.format("label"),
            },
        ),
        "judge_complete": (
            response.complete_system_prompt,
            response.complete_user_prompt,
            {"query": "{{ query }}", "gen_response": "{{ answer }}"},
        ),
        "judge_correct": (
            response.correct_system_prompt,
            response.correct_user_prompt,
            {"history": turns, "gen_response": "{{ answer }}"},
        ),
    }
    prompts = {}
    for name, (system, user, variables) in written.items():
        shown = user(**{variable: mark(variable) for variable in variables})
        fills = {mark(variable): expression for variable, expression in variables.items()}
        prompts[name] = prompt(escaped(system), filled(shown, fills))
    return prompts, ["the authors ask models with native tools and no system message, and so does `fcgen predict --prompts`"]


# --------------------------------------------------------------------------------------------------------- writing


def module(checkout, file):
    path = checkout / file
    if not path.is_file():
        raise Problem(f"`{path}` is not there")
    spec = importlib.util.spec_from_file_location("authors_" + re.sub(r"\W", "_", file), path)
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def mark(name):
    """A word that stands in no text of the authors."""
    return f"@@{name}@@"


def filled(text, fills):
    """A text with marks, as a template: everything but the marks is escaped."""
    pattern = re.compile("|".join(map(re.escape, sorted(fills, key=len, reverse=True))))
    parts, end = [], 0
    for match in pattern.finditer(text):
        parts += [escaped(text[end : match.start()]), fills[match[0]]]
        end = match.end()
    return "".join(parts) + escaped(text[end:])


def escaped(text):
    """A text that a template shows as it is."""
    return re.sub(r"\{[{%#]", lambda match: '{{ "' + match[0] + '" }}', text)


def prompt(system, user):
    """The file of a prompt. An empty message is none."""
    parts = [("system", system), ("user", user)]
    return "".join(f"=== {name}\n{text}\n" for name, text in parts if text) + "=== end\n"


if __name__ == "__main__":
    main()
