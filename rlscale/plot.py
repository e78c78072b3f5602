"""Figures of the book and of the report.

Every function takes the axes to draw on and gives them back; none shows, saves or closes a figure and none
changes a global setting. The look comes from the style sheet: ``plt.style.use("rlscale.book")``.

How a figure is read, everywhere the same: measured points are dots, a fitted or believed law is a line, the
part beyond the last measured point is dashed, an interval is a band.

Examples
--------
>>> import matplotlib.pyplot as plt
>>> from rlscale import Sigmoid, plot
>>> _, ax = plt.subplots()
>>> ax = plot.plot_law(ax, Sigmoid(R0=0.2, A=0.6, B=1.5, Cmid=1000), 0, 8000, seen=2000)
>>> plot.label_compute_axis(ax, "gpu_hours").get_xlabel()
'compute (GPU-hours)'
>>> plt.close()
"""

from .plot_laws import plot_family, plot_law, plot_points
from .plot_marks import (
    COLOURS,
    KIND_LABELS,
    PLAIN,
    RECIPES,
    RIVAL,
    Mark,
    format_compute,
    label_compute_axis,
    label_ends,
    label_pass_rate_axis,
)
from .plot_run import plot_forecast

__all__ = [
    "COLOURS",
    "KIND_LABELS",
    "PLAIN",
    "RECIPES",
    "RIVAL",
    "Mark",
    "format_compute",
    "label_compute_axis",
    "label_ends",
    "label_pass_rate_axis",
    "plot_family",
    "plot_forecast",
    "plot_law",
    "plot_points",
]
