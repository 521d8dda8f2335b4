"""A market under a virtual clock: the real rules and service on the store in memory, with hosts, renters and faults.

`python -m rackrent.exchange.simulate --hosts 200 --days 3 --seed 1`; docs/exchange-simulator.md says what is modelled.
"""
