"""One small module a format: ``NAME``, ``EXTRA``, ``sniff(source)`` and ``read(source)``."""
