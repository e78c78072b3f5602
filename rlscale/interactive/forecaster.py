"""What the forecaster of the published page is given: the constants of the engine and of the log reader.

The scripts hold the method, and this module every number of it, read from the modules of the engine, so that
a prior or a threshold that changes there changes on the page. The sample log is the simulated run that the
chapter shows.
"""

from __future__ import annotations

import numpy as np
