"""Modules that other packages import and hardly use: imported when something of them is used."""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from threading import RLock
from types import ModuleType
from typing import Any

__all__ = ["put_off"]

# scikit-learn imports the first and SciPy the others: a third of the time of a short command
SELDOM_USED = ("scipy.stats", "numpy.f2py", "numpy.testing")


def put_off(names: Sequence[str] = SELDOM_USED) -> None:
    """Give modules that are not imported yet a stand-in, which imports them when it is used.

    It changes what `import` does in the whole process, so it is for programs, not for libraries.
    """
    new = [name for name in names if name not in sys.modules]
    sys.meta_path.insert(0, _StandIns(new))


class _StandIns(MetaPathFinder, Loader):
    """Finds an empty module in place of each that is put off."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """That of a stand-in, once."""
        if fullname not in self.names:
            return None
        self.names.remove(fullname)
        return ModuleSpec(fullname, self)

    def exec_module(self, module: ModuleType) -> None:
        """Leave it empty."""
        module.__class__ = _StandIn


class _StandIn(ModuleType):
    """Passes on what is looked up to the module that it stands for."""

    _importing = RLock()  # one thread at a time

    def __getattr__(self, name: str) -> Any:
        if name == "__file__":  # asked of all modules alike, by what looks for a certain one
            raise AttributeError(name)
        with self._importing:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
            return getattr(import_module(self.__name__), name)
