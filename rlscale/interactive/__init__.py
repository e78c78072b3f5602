"""What the pages that compute are made of: their scripts, and the numbers that Python hands to them.

:mod:`rlscale.interactive.page` knows the apps; each has a module of its name whose ``page_data()`` returns
the presets, bounds, prices and constants that its script reads. No number of ``data/`` is typed in a script.
"""
