"""The exchange as one thing to call: a store, a policy, a clock and a source of ids, and every request in a transaction."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from rackrent.exchange.problems import Busy
from rackrent.exchange.rules.policy import Policy
from rackrent.exchange.service import clock
from rackrent.exchange.service.desk import Desk
from rackrent.exchange.store.base import Store

P = ParamSpec("P")
T = TypeVar("T")
LOG = logging.getLogger(__name__)


class Hub:
    """A running exchange. `now_ms` is asked for the instant of each request, `new_id` for ids that are never twice."""

    def __init__(
        self,
        store: Store,
        now_ms: Callable[[], int],
        new_id: Callable[[str], str],
        policy: Policy | None = None,
    ) -> None:
        self.store, self.now_ms, self.new_id, self.policy = store, now_ms, new_id, policy or Policy()
        self.started_ms = now_ms()

    def do(self, work: Callable[Concatenate[Desk, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function of `service` in a transaction of its own and return what it returns.

        >>> from rackrent.exchange.model import Project
        >>> from rackrent.exchange.service.money import top_up
        >>> from rackrent.exchange.store.memory import MemoryStore
        >>> hub = Hub(MemoryStore(), lambda: 0, lambda kind: kind)
        >>> hub.do(lambda desk: desk.tx.add(Project(id="p", account="a")))
        >>> hub.do(top_up, "p", 5_000_000, "key").credit
        'wallet:p'
        """
        now_ms = self.now_ms()
        return self.store.run(
            lambda tx: work(Desk(tx, self.policy, now_ms, self.new_id, self.started_ms), *args, **kwargs)
        )

    def wake(self) -> int:
        """Do all that is due as this begins, a batch a transaction; return how many things that were.

        What becomes due meanwhile waits for the next time, so that this returns, whatever the pace.
        Where a batch raises, each of its timers is seen to in a transaction of its own; one that raises by itself is put
        off and recorded, so that one fault does not stop the market's clock. Raises Busy.
        """
        done, until_ms = 0, self.now_ms()
        while batch := self._batch(until_ms):
            done += batch
        return done

    def _batch(self, until_ms: int) -> int:
        try:
            return self.do(clock.wake, until_ms=until_ms)
        except Busy:
            raise
        except Exception:
            LOG.exception("a batch of what is due failed; it is tried one by one")
        timers = self.do(clock.due, until_ms=until_ms)
        for timer in timers:
            try:
                self.do(clock.wake_this, timer)
            except Busy:
                raise
            except Exception as error:
                LOG.exception("%s failed and is put off", timer.id)
                self.do(clock.put_off, timer, error)
        return len(timers)
