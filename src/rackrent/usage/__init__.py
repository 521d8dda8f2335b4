"""What was really used: dumps of Slurm and Kubernetes, bills of clouds, CSV, as jobs and hours."""

from rackrent.usage.demand import Demanded, demand_of
from rackrent.usage.idle import idle, split_price
from rackrent.usage.load import load
from rackrent.usage.model import Usage

__all__ = ["Demanded", "Usage", "demand_of", "idle", "load", "split_price"]
