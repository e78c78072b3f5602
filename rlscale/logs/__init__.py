"""Read a training log as it lies on disk."""
