"""Starts `polypath worker` on each node of a Ray cluster, for a run that listens (docs/cluster.md).

Needs nothing but `ray`. What is to be done comes as JSON on standard input. Lines on standard output, which the run reads:
`ready` once the cluster is reached, `say TEXT` for the user, `fail TEXT` before an end that is none of the run's.
"""

import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time

LOOK_EVERY = 2.0  # seconds between two looks at the cluster
ATTEMPTS = 3  # failures of a node in a row, after which it is left alone
KEPT = 7 * 86400.0  # seconds for which a node keeps the program of another build since it was last started


def tell(word, text=""):
    print(word, " ".join(str(text).split()), flush=True)


def fail(text):
    tell("fail", text)
    sys.exit(1)


def check(address):
    """Says so at once when nobody listens at the address: Ray itself would try for long."""
    host, _, port = address.rpartition(":")
    if "://" in address or not port.isdigit():
        return
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except OSError as error:
        fail(f"no Ray cluster at {address}: {error}")


def die_with_parent():
    """What an actor started must not outlive it."""
    import ctypes
    import signal

    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def program_in(cache, binary):
    """The program's file in a directory of the node, written unless a former run left it there.

    One file for each build and not one for each actor: Ray kills actors, and those leave behind what they made.
    """
    directory = os.path.join(cache, "polypath", "workers")
    os.makedirs(directory, mode=0o700, exist_ok=True)
    for name in os.listdir(directory):
        old = os.path.join(directory, name)
        try:
            if time.time() - os.stat(old).st_mtime > KEPT:
                os.remove(old)
        except OSError:
            pass  # Another actor of this node removed it.
    program = os.path.join(directory, hashlib.sha256(binary).hexdigest())
    try:
        os.utime(program)
        return program
    except FileNotFoundError:
        pass
    descriptor, unfinished = tempfile.mkstemp(dir=directory)
    with os.fdopen(descriptor, "wb") as file:
        file.write(binary)
    os.chmod(unfinished, 0o700)
    os.replace(unfinished, program)
    return program


class Node:
    """Runs workers for all cores of its node. The binary comes through Ray's object store."""

    def work(self, binary, connect, secret, jobs, memory):
        with tempfile.TemporaryDirectory(prefix="polypath-") as directory:
            home = os.path.expanduser("~")
            try:
                program = program_in(os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"), binary)
            except OSError:  # A home that cannot be written.
                program = program_in(directory, binary)
            command = [program, "worker", "--connect", connect, "--jobs", str(jobs), "--wait", "30"]
            if memory is not None:
                command += ["--memory", str(memory)]
            ended = subprocess.run(
                command,
                env={**os.environ, "POLYPATH_SECRET": secret},
                cwd=directory,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                preexec_fn=die_with_parent,
            )
        lines = ended.stderr.decode(errors="replace").strip().splitlines()
        return ended.returncode, lines[-1] if lines else ""


def main():
    job = json.load(sys.stdin)
    address = job["address"]
    check(address)
    try:
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
    except ImportError as error:
        fail(f"{error} (for this Python: pip install 'ray[default]')")
    try:
        ray.init(address=address, logging_level="ERROR", log_to_driver=False)
    except Exception as error:  # Ray has no common class for these.
        fail(f"no Ray cluster at {address}: {error}")
    with open(job["binary"], "rb") as file:
        binary = ray.put(file.read())
    connect = f"{job['host'] or ray.util.get_node_ip_address()}:{job['port']}"
    actor = ray.remote(max_restarts=0)(Node)
    tell("ready")

    at_work = {}  # the result that is waited for -> the node's number, the actor
    failures = {}  # by node, in a row
    while True:
        busy = {node for node, _ in at_work.values()}
        for node in ray.nodes():
            name, cores = node["NodeID"], int(node["Resources"].get("CPU", 0))
            if not node["Alive"] or cores == 0 or name in busy or failures.get(name, 0) >= ATTEMPTS:
                continue
            place = NodeAffinitySchedulingStrategy(node_id=name, soft=False)
            worker = actor.options(num_cpus=cores, scheduling_strategy=place).remote()
            result = worker.work.remote(binary, connect, job["secret"], cores, job["memory"])
            at_work[result] = (name, worker)
        if not at_work:
            if failures and all(n >= ATTEMPTS for n in failures.values()):
                fail("no node of the Ray cluster can work")
            time.sleep(LOOK_EVERY)
            continue
        for result in ray.wait(list(at_work), timeout=LOOK_EVERY)[0]:
            name, worker = at_work.pop(result)
            try:
                status, text = ray.get(result)
            except ray.exceptions.RayError as error:
                tell("say", f"Ray node {name[:8]} is lost: {type(error).__name__}")
                failures[name] = failures.get(name, 0) + 1
                continue
            ray.kill(worker)
            if status == 0:
                return  # The run has ended.
            tell("say", f"Ray node {name[:8]}: {text}")
            failures[name] = failures.get(name, 0) + 1


main()
