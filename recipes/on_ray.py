"""Makes the shards of a pipeline as tasks of a Ray cluster, then merges them.

    pip install ray
    python recipes/on_ray.py hammer --shards 8 --out output/million -- --set scale=47

Without a cluster (`--address` or RAY_ADDRESS) Ray starts one on this machine. With one, every node needs the `fcgen`
binary and a disk that all of them see, and `--out` lies there. What follows `--` goes to `fcgen pipeline` and `fcgen merge`
alike. A shard that dies, alone or with its node, is started again and goes on where it was: no reply is paid for twice.
The same holds for this program: give the same command again.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import ray

# The endpoint, or rows that were lost on the way to it; what was stopped. Nothing else is mended by another try.
WORTH_ANOTHER_TRY = (12, 130)


class Unfinished(Exception):
    """A shard ended in a way that another try may mend."""


def make_shard(command, folder):
    """Makes one shard; its exit code, where it is final."""
    code = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, check=False).returncode
    if code in WORTH_ANOTHER_TRY or code < 0:
        raise Unfinished(f"exit code {code}: {' '.join(command)}")
    return code


def main():
    """Returns the exit code: the first shard's that is not 0, else that of the merge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pipeline", help="pipeline file, or the name of a shipped one")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--out", type=Path, required=True, help="folder of the merged run; shards lie beside it")
    parser.add_argument("--fcgen", default="fcgen", help="the binary, by name or path")
    parser.add_argument("--address", help="the cluster's address; one is started here where absent")
    parser.add_argument("--cpus", type=float, default=1, help="what Ray sets aside for a shard")
    parser.add_argument("--tries", type=int, default=4, help="how often a shard is started at most")
    parser.epilog = "What follows -- are flags of fcgen."
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    options, flags = parser.parse_args(words[:end]), words[end + 1 :]

    binary = shutil.which(options.fcgen)
    if binary is None:
        parser.error(f"there is no `{options.fcgen}` here; give its path by --fcgen")
    out = options.out.resolve()
    shards = [out.with_name(f"{out.name}-shard-{part}-of-{options.shards}") for part in range(1, options.shards + 1)]

    ray.init(address=options.address)
    retries = {"max_retries": options.tries - 1, "retry_exceptions": [Unfinished]}
    task = ray.remote(num_cpus=options.cpus, **retries)(make_shard)
    folder = str(Path.cwd())
    start = [str(Path(binary).resolve()), "pipeline", options.pipeline, *flags]
    # Whether enough came out is judged at the merge: a shard alone never ends with 14.
    parts = [
        task.options(name=shard.name).remote(
            [*start, "--shard", f"{part}/{options.shards}", "--out", str(shard)], folder
        )
        for part, shard in enumerate(shards, 1)
    ]
    codes = ray.get(parts)
    for shard, code in zip(shards, codes):
        if code != 0:
            print(f"{shard.name}: exit code {code}", file=sys.stderr)
            return code
    merge = [start[0], "merge", *map(str, shards), "--pipeline", options.pipeline, "--out", str(out)]
    return subprocess.run([*merge, *flags], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
