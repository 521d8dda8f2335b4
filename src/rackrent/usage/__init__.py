"""What was really used: dumps of Slurm and Kubernetes, bills of clouds, CSV, as jobs and hours."""

from rackrent.usage.load import load
from rackrent.usage.model import Usage

__all__ = ["Usage", "load"]
