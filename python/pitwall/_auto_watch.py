"""Watches for the libraries that Pitwall has hooks for: a finder in sys.meta_path that calls a function
after the program has imported one of them. auto/sitecustomize.py loads it by its path before the package
`pitwall` is imported, so it imports nothing from the package."""

import sys

LIBRARIES = (
    "torch", "jax", "lightning.pytorch", "pytorch_lightning", "transformers.trainer", "keras",
    "optax", "pyopencl",
)


class _Loader:
    """Takes the place of a module's own loader while the module is loaded."""

    def __init__(self, loader, hook):
        self._loader, self._hook = loader, hook

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._hook(module)


class Finder:
    """The first entry of sys.meta_path: asks the others, and wraps the loader of a wanted library."""

    def __init__(self, wanted, hook):
        self._wanted, self._hook = set(wanted), hook

    def find_spec(self, name, path=None, target=None):
        if name not in self._wanted:
            return None
        self._wanted.discard(name)
        if not self._wanted:
            sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None) if finder is not self else None
            spec = find(name, path, target) if find else None
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader, self._hook)
                return spec
        self._wanted.add(name)  # not found: maybe it will be later
        return None
