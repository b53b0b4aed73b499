"""The surroundings of a test do not depend on the caller: a shell, a batch job, a container.

Called by everything that starts programs under test. Launchers mark their jobs by variables that the recorder
reads; shells export the size of their window; a background job ignores signals; a umask hides files.
"""

import os
import re
import signal

# Set by launchers of jobs, terminals, version control or for an interpreter: programs would obey them.
REMOVED = re.compile(
    r"^(RANK|WORLD_SIZE|LOCAL_(RANK|WORLD_SIZE)|GROUP_(RANK|WORLD_SIZE)|ROLE_.*|MASTER_(ADDR|PORT)"
    r"|TORCHELASTIC_.*|SLURM.*|PMI_.*|PMIX_.*|OMPI_COMM_.*|OMPI_MCA_orte_.*|MPI_LOCALRANKID|HYDRA_.*"
    r"|CUDA_VISIBLE_DEVICES|HIP_VISIBLE_DEVICES|ROCR_VISIBLE_DEVICES|OMP_.*|GOMP_.*|KMP_.*|MALLOC_.*"
    r"|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR.*|BROWSER|TMUX.*|TERM_PROGRAM.*"
    r"|GIT_.*|PYTHON(PATH|HOME|STARTUP|WARNINGS|OPTIMIZE|DEBUG|INSPECT|MALLOC|SAFEPATH|DEVMODE|TRACEMALLOC)"
    r"|PYTEST_.*|CFLAGS|CXXFLAGS|CPPFLAGS|LDFLAGS|MAKEFLAGS|MFLAGS|MAKELEVEL|LD_PRELOAD"
    r"|PITWALL|PITWALL_.*)$")
# What tests themselves are told by.
KEPT = {"PITWALL_BUILD", "PITWALL_SANITIZER", "PITWALL_TEST_ALL", "PITWALL_EMULATED", "PITWALL_FEW_RACES",
        "PITWALL_FRAMEWORKS"}
HERE = "127.0.0.1,localhost,::1"


def make_known():
    """Change this process, and so all that it starts."""
    for name in [name for name in os.environ if REMOVED.match(name) and name not in KEPT]:
        del os.environ[name]
    os.environ["LC_ALL"] = "C.UTF-8"
    for name in ("no_proxy", "NO_PROXY"):  # servers under test are not asked through a proxy
        os.environ[name] = ",".join(filter(None, (os.environ.get(name), HERE)))
    os.umask(0o022)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    # Signals with a handler here have their default in programs that are started.
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
