"""One small module a format: ``NAME``, ``EXTRA``, ``sniff(source)`` and ``read(source)``.

To add one, write such a module, name it in :data:`rlscale.logs.detect.FORMATS`, give it a writer of a known
curve in ``tests/logs`` and a row in the appendix "Log formats" (tests ask for the last two). What several
formats share:
``csv_table`` and ``json_rows`` (tables and rows, streamed), ``run_column`` (several runs in a long table),
``per_sample`` (exact shares from single rewards), ``printed_dict``, and ``record_log`` with ``wire`` (binary
records).
"""
