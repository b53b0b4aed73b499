"""Runs programs with PyTorch already loaded: each in a fork of this process, where it starts as it would with
`python3 program.py`. Loading PyTorch takes ten times as long as what most programs of the tests do with it.

Standard input: a line of JSON for each program: [its folder, variables, the program, its arguments...].
Standard output: the exit status of each. What a program prints is in plain.stdout and plain.stderr of the folder.

variables: null, or the environment that `pitwall run` gives to a program. Then the hooks are installed before the
program starts, by the sitecustomize of `pitwall run` and the function that it calls after an import of PyTorch."""

import importlib.util
import json
import os
import sys
import types

import torch  # noqa: F401
import torch.utils.data  # noqa: F401


def hook(variables):
    """What happens under `pitwall run` until the program has imported PyTorch."""
    os.environ.update(variables, PITWALL_RUN_PID=str(os.getpid()))
    path = os.path.join(variables["PYTHONPATH"].split(":")[0], "sitecustomize.py")
    spec = importlib.util.spec_from_file_location("sitecustomize", path)
    ours = sys.modules["sitecustomize"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(ours)
    ours._hook(torch)


def become(folder, variables, program, *arguments):
    """In the fork: the program is the main module, in its folder."""
    os.chdir(folder)
    for number, name in enumerate(("/dev/null", "plain.stdout", "plain.stderr")):
        file = os.open(name, os.O_RDWR | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    path = os.path.join(folder, program)
    main = types.ModuleType("__main__")
    main.__file__, main.__builtins__ = path, __builtins__
    sys.modules["__main__"], sys.argv, sys.path[0] = main, [program, *arguments], os.path.dirname(path)
    if variables:
        hook(variables)
    with open(path, encoding="utf-8") as file:
        return compile(file.read(), path, "exec"), main.__dict__


def serve():
    """Returns the code and the names of a program in a fork; None where there are no more programs."""
    for line in iter(sys.stdin.readline, ""):
        pid = os.fork()
        if pid == 0:
            return become(*json.loads(line))
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return None


program = serve()
if program:
    exec(*program)  # pylint: disable=exec-used
