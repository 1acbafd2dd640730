"""What is wrong with a file or a tensor."""

from typing import Any, final

@final
class Problem:
    """One broken rule of the format that :func:`verify` or :meth:`Tensor.validate` found."""

    @property
    def code(self) -> str: ...  # "F-11", "D-15", "L-12", "Q-25"
    @property
    def message(self) -> str: ...
    @property
    def offset(self) -> int | None: ...  # absolute byte offset in the file
    @property
    def name(self) -> str | None: ...  # the tensor, where there is one
    @property
    def more(self) -> int: ...  # further places that break it in the same way and are not listed

def verify(path: Any) -> list[Problem]:
    """Every structural rule that the file breaks; an empty list if it keeps them all."""

def _problem(code: str, message: str, offset: int | None, name: str | None, more: int) -> Problem: ...
