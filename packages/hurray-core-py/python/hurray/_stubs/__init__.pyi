"""The stub of the compiled module, an idea to a file. Nothing of this is there when a program runs.

Every name but the aliases of :mod:`hurray._stubs.arguments` is one of ``hurray._core``, where the stub check finds it.
"""
