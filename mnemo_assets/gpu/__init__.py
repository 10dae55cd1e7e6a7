"""The graphics card: who may use it, and what is loaded there.

No model server knows a lease that says whose it is. So the lease is a row of ours, with owner, token and
time; a driver of the server's only loads the preset and keeps it.
"""

from mnemo_assets.gpu.drivers import DRIVERS, Driver, driver
from mnemo_assets.gpu.lease import Lease, leased, tag
from mnemo_assets.gpu.rows import Holder, holder, holders, reap

__all__ = [
    "DRIVERS",
    "Driver",
    "Holder",
    "Lease",
    "driver",
    "holder",
    "holders",
    "leased",
    "reap",
    "tag",
]
