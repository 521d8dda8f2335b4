"""The oracle: the same question as one program with a row for every hour, written without the fast form's parts."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from rackrent.planning.highs import Columns, Rows, minimise
from rackrent.planning.supply import HOURS


def hourly_optimum(question, *, gap=1e-6):
    """Return the least present value, USD: every hour decides for itself who serves it."""
    return _optimum(question, _every_hour, gap)


def monthly_optimum(question, *, gap=1e-6):
    """Return the same from each month's load-duration curve, every step of it served by itself."""
    return _optimum(question, _every_step, gap)


def _every_hour(demand) -> Iterator[tuple[int, float, float]]:
    """Month, GPUs needed, and for how many hours, one hour after the other."""
    for hour, need in enumerate(demand):
        yield hour // HOURS, float(need), 1.0


def _every_step(demand) -> Iterator[tuple[int, float, float]]:
    """Month, height of a step of the curve, and the hours in which demand reaches it."""
    for month, part in enumerate(demand.reshape(-1, HOURS)):
        levels = np.unique(np.concatenate([[0.0], part]))
        for low, high in pairwise(levels):
            yield month, float(high - low), float((part > low).sum())


def _optimum(question, blocks, gap):
    months, d = question.months, question.discount
    columns, rows = Columns(), Rows()
    capital, running, kw, space = (
        [],
        [[] for _ in range(months)],
        [[] for _ in range(months)],
        [[] for _ in range(months)],
    )
    there = {}
    for m in question.owned:
        price, resale = question.monthly(m.price_usd), question.monthly(m.resale_usd, extra=1)
        buy, sell, have = [], [], []
        most = max(m.now, question.useful(m) if m.most is None else m.most)
        for t in range(months):
            buy.append(
                int(columns.add(price[t] * d[t], upper=most if t + m.lead_months < months else 0, whole=True))
            )
            sell.append(int(columns.add(-resale[t] * d[t], upper=most, whole=True)))
            last = resale[months] * d[months] if t == months - 1 else 0.0
            have.append(int(columns.add(m.usd_per_month * d[t + 1] - last, upper=most)))
            terms = {have[t]: 1.0, sell[t]: 1.0}
            if t:
                terms[have[t - 1]] = -1.0
            if t >= m.lead_months:
                terms[buy[t - m.lead_months]] = -1.0
            rows.add(terms.items(), 0.0 if t else m.now, 0.0 if t else m.now)
            capital.append((buy[t], price[t]))
            running[t].append((have[t], m.usd_per_month))
            kw[t].append((have[t], m.kw))
            space[t].append((have[t], m.rack_units))
        there[m.name] = [[(h, m.work)] for h in have]
    for c in question.committed:
        up, fee = question.monthly(c.upfront_usd), question.monthly(c.usd_per_month)
        begin = []
        for t in range(months):
            dates = [min(t + k + 1, months) for k in range(c.term_months)]
            cost = up[t] * d[t] + fee[t] * sum(d[x] for x in dates)
            begin.append(int(columns.add(cost, upper=question.useful(c), whole=True)))
            capital.append((begin[t], up[t]))
            for k in range(t, min(t + c.term_months, months)):
                running[k].append((begin[t], fee[t]))
        there[c.name] = [
            [(begin[k], c.work) for k in range(max(0, t - c.term_months + 1), t + 1)] for t in range(months)
        ]
        if c.most is not None:
            for t in range(months):
                rows.add([(col, 1.0) for col, _ in there[c.name][t]], -np.inf, c.most)
    for pool in question.pools:
        shared = (
            blocks is _every_step
        )  # steps stand on each other: together they are within a month's capacity
        used, before = {}, {}
        for t, need, hours in blocks(pool.demand):
            serve = []
            for s in (*question.owned, *question.committed, *question.rented):
                if s.pool != pool.name:
                    continue
                price = 0.0
                if hasattr(s, "usd_per_gpu_hour"):
                    price = hours * question.monthly(s.usd_per_gpu_hour)[t] / s.work_per_gpu
                most = getattr(s, "gpus_most", None)
                most = np.inf if most is None else most * s.work_per_gpu
                share = getattr(s, "share_most", None)
                if share is not None and not shared:
                    most = share * need
                use = int(columns.add(price * d[t + 1], upper=most))
                if share is not None and shared:
                    # Up to the height of each step: what stands below it, and the demand it is a share of.
                    below, height, month = before.get(s.name, (None, 0.0, t))
                    if month != t:
                        below, height = None, 0.0
                    total = int(columns.add(0.0, upper=share * (height + need)))
                    terms = [(total, 1.0), (use, -1.0), *([] if below is None else [(below, -1.0)])]
                    rows.add(terms, 0.0, 0.0)
                    before[s.name] = total, height + need, t
                if not shared and s.name in there:
                    rows.add([(use, 1.0), *((col, -work) for col, work in there[s.name][t])], -np.inf, 0.0)
                used.setdefault((s.name, t), []).append((use, 1.0))
                if shared and most < np.inf:
                    used[s.name, t, most] = used[s.name, t]
                running[t].append((use, price))
                serve.append((use, 1.0))
            rows.add(serve, need, need)
        if shared:
            for key, terms in used.items():
                if len(key) == 3:
                    rows.add(terms, -np.inf, key[2])
                elif key[0] in there:
                    name, t = key
                    rows.add([*terms, *((col, -work) for col, work in there[name][t])], -np.inf, 0.0)
    limits = question.limits
    if limits.upfront_usd is not None:
        rows.add(capital, -np.inf, limits.upfront_usd)
    for t in range(months):
        for limit, terms in ((limits.monthly_usd, running), (limits.kw, kw), (limits.rack_units, space)):
            if limit is not None:
                rows.add(terms[t], -np.inf, limit)
    return minimise(columns, rows, gap=gap).objective
