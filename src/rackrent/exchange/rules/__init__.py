"""The rules of the market: pure functions of values and an instant.

The bill of a lease whose host vanishes: it is rented at $3.60 an hour, runs from second 10, was last heard of at second
100, and is given up at second 190. What is owed is 90 seconds, whenever one looks:

>>> from rackrent.exchange.rules.rating import bill_micro_usd
>>> running_ms, last_heard_ms, given_up_ms = 10_000, 100_000, 190_000
>>> bill_micro_usd(3_600_000, running_ms, min(given_up_ms, last_heard_ms))
90000
"""
