"""Runs programs with PyTorch already loaded: each in a fork of this process, where it starts as it would with
`python3 program.py`. Loading PyTorch takes ten times as long as what most programs of the tests do with it.

Standard input: one folder a line, with program.py in it. Standard output: the exit status of each program.
What a program prints is in plain.stdout and plain.stderr of its folder."""

import os
import sys
import types

import torch  # noqa: F401
import torch.utils.data  # noqa: F401


def become(folder):
    """In the fork: the program is the main module, in its folder."""
    os.chdir(folder)
    for number, name in enumerate(("/dev/null", "plain.stdout", "plain.stderr")):
        file = os.open(name, os.O_RDWR | os.O_CREAT)
        os.dup2(file, number)
        os.close(file)
    path = os.path.join(folder, "program.py")
    main = types.ModuleType("__main__")
    main.__file__, main.__builtins__ = path, __builtins__
    sys.modules["__main__"], sys.argv, sys.path[0] = main, ["program.py"], folder
    with open(path, encoding="utf-8") as file:
        return compile(file.read(), path, "exec"), main.__dict__


def serve():
    """Returns the code and the names of a program in a fork; None where there are no more programs."""
    for line in iter(sys.stdin.readline, ""):
        pid = os.fork()
        if pid == 0:
            return become(line.rstrip("\n"))
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return None


program = serve()
if program:
    exec(*program)  # pylint: disable=exec-used
