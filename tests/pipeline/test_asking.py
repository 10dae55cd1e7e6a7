"""Requests in flight: slots, attempts, the probe, the lease; and that a reply is kept before it is told."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from mnemo_assets.errors import EndpointDownError, LeaseLostError, NoReplyError
from mnemo_assets.extractions import replies
from mnemo_assets.extractions.parse import StoredReply
from mnemo_assets.extractions.request import Request
from mnemo_assets.llm import Reply
from mnemo_assets.pipeline import asking
from mnemo_assets.pipeline.asking import Ask, Failed, Way

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mnemo_assets.database import Connection

AT_ONCE = (0.0, 0.0, 0.0)


@dataclass
class Model:
    """A model that answers each request with what `answer` makes of its text and how often it was asked."""

    answer: Callable[[str, int], Reply]
    is_there: bool = True
    model: str = "small"
    asked: Counter[str] = field(default_factory=Counter)
    probes: int = 0
    is_closed: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def complete(  # noqa: D102 - as llm.Endpoint has it
        self,
        messages: Sequence[Mapping[str, Any]],
        max_tokens: int,
        seconds: float,
        *,
        response_format: Mapping[str, Any] | None = None,
    ) -> Reply:
        del max_tokens, seconds, response_format
        text = messages[-1]["content"]
        with self.lock:
            self.asked[text] += 1
            times = self.asked[text]
        return self.answer(text, times)

    def is_answering(self, seconds: float) -> bool:  # noqa: D102
        del seconds
        self.probes += 1
        return self.is_there

    def cut_if_gone(self) -> bool:  # noqa: D102
        return False

    def close(self) -> None:  # noqa: D102
        self.is_closed = True


def said(text: str, **more: Any) -> Reply:
    return Reply(
        **{
            "text": text,
            "reasoning": "",
            "finish_reason": "stop",
            "prompt_tokens": 7,
            "tokens": 3,
            "refused": False,
            **more,
        }
    )


def stored(text: str, finish_reason: str | None = "stop") -> StoredReply:
    return StoredReply(text, "", finish_reason, 7, 3)


def request(text: str) -> Request:
    key = hashlib.sha256(text.encode()).hexdigest()
    return Request(key=key, messages=[{"role": "user", "content": text}], response_format=None, max_tokens=50)


def ask(text: str) -> Ask:
    return Ask(request(text), hashlib.sha256(f"content of {text}".encode()).hexdigest())


def asked(
    connection: Connection, model: Model, texts: Sequence[str], **way: Any
) -> dict[str, StoredReply | Failed]:
    chosen = Way(**{"slots": 2, "seconds": 10.0, "pauses": AT_ONCE, **way})
    answers = asking.ask(connection, model, [ask(text) for text in texts], "llm:small", chosen)
    return {each.request.messages[-1]["content"]: answer for each, answer in answers}


def calls(connection: Connection) -> list[tuple[Any, ...]]:
    query = b"""select recipe, outcome, prompt_tokens, completion_tokens, attempts
        from model_calls order by call_id"""
    return [tuple(row.values()) for row in connection.execute(query)]


def test_replies_are_kept_and_asked_for_once(connection: Connection) -> None:
    """What a model answered is taken from what is kept the next time; each call is counted with its cost."""
    model = Model(lambda text, _: said(text.upper()))
    assert asked(connection, model, ["a", "b", "a"]) == {"a": stored("A"), "b": stored("B")}
    assert model.asked == {"a": 1, "b": 1}
    assert calls(connection) == [("llm:small", "reply", 7, 3, 1)] * 2
    again = Model(lambda text, _: said(text))
    assert asked(connection, again, ["a", "b"]) == {"a": stored("A"), "b": stored("B")}
    assert not again.asked
    assert model.is_closed


def test_a_reply_is_kept_before_it_is_told(connection: Connection) -> None:
    """Whoever is told of a reply and dies at that moment finds it kept."""
    answers = asking.ask(
        connection, Model(lambda text, _: said(text)), [ask("a")], "llm:small", Way(2, 10.0, pauses=AT_ONCE)
    )
    each, answer = next(answers)
    assert replies.to_requests(connection, [each.request.key]) == {each.request.key: answer}
    answers.close()  # type: ignore[attr-defined]


def test_what_no_column_holds_is_kept(connection: Connection) -> None:
    """NUL, half a character and an emoji come back as they were said."""
    text = "Ada\0 \ud83d \U0001f600 \uffff"
    model = Model(lambda _, __: said(text, reasoning="\0", finish_reason="length"))
    assert asked(connection, model, ["a"]) == {"a": StoredReply(text, "\0", "length", 7, 3)}
    assert asked(connection, model, ["a"]) == {"a": StoredReply(text, "\0", "length", 7, 3)}


def test_a_request_is_sent_four_times(connection: Connection) -> None:
    """A request that fails is sent again; the attempts are counted with its reply."""

    def answer(text: str, times: int) -> Reply:
        if times < 4:
            raise NoReplyError("status 500")
        return said(text)

    assert asked(connection, Model(answer), ["a"]) == {"a": stored("a")}
    assert calls(connection) == [("llm:small", "reply", 7, 3, 4)]


def test_one_request_that_fails_is_the_only_one(connection: Connection) -> None:
    """Where the probe is answered, a request that failed four times has failed, and all others go on."""

    def answer(text: str, _: int) -> Reply:
        if text == "bad":
            raise NoReplyError("timeout")
        return said(text)

    model = Model(answer)
    found = asked(connection, model, ["a", "bad", "b", "c"])
    assert found == {"a": stored("a"), "bad": Failed("timeout"), "b": stored("b"), "c": stored("c")}
    assert (model.asked["bad"], model.probes) == (4, 1)
    assert ("llm:small", "timeout", None, None, 4) in calls(connection)


@pytest.mark.parametrize("error", [NoReplyError("dropped"), EndpointDownError("gone")])
def test_an_endpoint_that_is_down_fails_nothing(connection: Connection, error: Exception) -> None:
    """Where the probe is not answered either, the run stops; nothing is counted as failed, replies stay."""

    def answer(text: str, _: int) -> Reply:
        if text != "first":
            raise error
        return said(text)

    model = Model(answer, is_there=False)
    with pytest.raises(EndpointDownError):
        asked(connection, model, ["first", "a", "b", "c"], slots=1)
    assert [call[1] for call in calls(connection)] == ["reply"]
    assert asked(connection, Model(lambda text, _: said(text)), ["first", "a"]) == {
        "first": stored("first"),
        "a": stored("a"),
    }


def test_slots_are_filled_and_not_more(connection: Connection) -> None:
    """As many requests are in flight as there are slots: each waits here until all slots are taken."""
    both = threading.Barrier(3)
    most: list[int] = []
    now = Counter[str]()
    lock = threading.Lock()

    def answer(text: str, _: int) -> Reply:
        with lock:
            now["n"] += 1
            most.append(now["n"])
        both.wait(20)
        with lock:
            now["n"] -= 1
        return said(text)

    assert len(asked(connection, Model(answer), [str(n) for n in range(9)], slots=3)) == 9
    assert max(most) == 3


def test_a_request_that_waits_keeps_no_slot(connection: Connection) -> None:
    """While a request waits for its next attempt, the only slot works on others."""
    order: list[str] = []

    def answer(text: str, times: int) -> Reply:
        order.append(text)
        if text == "slow" and times == 1:
            raise NoReplyError("busy")
        return said(text)

    asked(connection, Model(answer), ["slow", "a", "b"], slots=1, pauses=(0.3, 0.3, 0.3))
    assert order == ["slow", "a", "b", "slow"]


def test_no_request_is_sent_without_the_lease(connection: Connection) -> None:
    """The lease is looked at before each request; once it is lost the run stops, and nothing is sent."""

    class Lost:
        def check(self) -> None:
            raise LeaseLostError("taken")

        def restore(self) -> bool:
            return False

    model = Model(lambda text, _: said(text))
    with pytest.raises(LeaseLostError):
        asked(connection, model, ["a"], lease=Lost())
    assert not model.asked


def test_an_evicted_model_is_loaded_again(connection: Connection) -> None:
    """A request that finds its model gone has it loaded again, once for all, and is not at fault."""

    class Lease:
        loaded = False
        loads = 0
        lock = threading.Lock()

        def check(self) -> None:
            """It is ours."""

        def restore(self) -> bool:
            with self.lock:
                gone, self.loaded = not self.loaded, True
                self.loads += gone
            return gone

    lease = Lease()

    def answer(text: str, _: int) -> Reply:
        if not lease.loaded:
            raise NoReplyError("status 500")
        return said(text)

    assert asked(connection, Model(answer), ["a", "b"], lease=lease) == {"a": stored("a"), "b": stored("b")}
    assert lease.loads == 1
    assert {call[4] for call in calls(connection)} <= {1, 2}


def test_a_refusal_is_an_answer(connection: Connection) -> None:
    """A model that says that it does not want to has answered: it is kept as that, and not asked again."""
    model = Model(lambda _, __: said("I cannot.", refused=True))
    assert asked(connection, model, ["a"]) == {"a": StoredReply("I cannot.", "", "content_filter", 7, 3)}
    assert model.asked == {"a": 1}


def test_a_stop_ends_what_is_in_flight(connection: Connection) -> None:
    """Whoever leaves in the middle closes the endpoint, and no thread is left behind."""
    ended = threading.Event()

    class Slow(Model):
        def close(self) -> None:
            ended.set()

    def answer(text: str, _: int) -> Reply:
        if text == "slow":
            ended.wait(20)
            raise NoReplyError("dropped")
        return said(text)

    answers = asking.ask(
        connection, Slow(answer), [ask("slow"), ask("a")], "llm:small", Way(2, 10.0, pauses=AT_ONCE)
    )
    assert next(answers)[1] == stored("a")
    answers.close()  # type: ignore[attr-defined]
    assert ended.is_set()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("slot-")]


def test_what_was_answered_when_the_run_stops_is_kept(connection: Connection) -> None:
    """A reply that came while the endpoint was found to be down is not asked for again."""
    stopped = threading.Event()

    class Leaving(Model):
        def is_answering(self, seconds: float) -> bool:
            stopped.set()
            return super().is_answering(seconds)

    def answer(text: str, _: int) -> Reply:
        if text == "dead":
            raise NoReplyError("dropped")
        stopped.wait(20)
        time.sleep(0.1)  # the end of the run is told before
        return said(text)

    model = Leaving(answer, is_there=False)
    with pytest.raises(EndpointDownError):
        asked(connection, model, ["dead", "a"])
    assert asked(connection, model, ["a"]) == {"a": stored("a")}
    assert model.asked["a"] == 1


def test_no_model_is_loaded_for_a_run_that_has_stopped(connection: Connection) -> None:
    """A request that is ended on the way out is not taken for one that lost its model."""
    began, ended, looks = threading.Event(), threading.Event(), []

    class Lease:
        def check(self) -> None:
            """It is ours."""

        def restore(self) -> bool:
            looks.append(ended.is_set())
            return False

    class Slow(Model):
        def close(self) -> None:
            ended.set()

    def answer(text: str, _: int) -> Reply:
        if text == "slow":
            began.set()
            ended.wait(20)
            raise NoReplyError("dropped")
        began.wait(20)
        return said(text)

    way = Way(2, 10.0, lease=Lease(), pauses=AT_ONCE)
    answers = asking.ask(connection, Slow(answer), [ask("slow"), ask("a")], "llm:small", way)
    assert next(answers)[1] == stored("a")
    answers.close()  # type: ignore[attr-defined]
    assert looks == []


@pytest.mark.parametrize("status", ["not there", "speaks otherwise"])
def test_what_is_final_is_not_tried_again(connection: Connection, status: str) -> None:
    """An endpoint that lets nobody in, or speaks otherwise, is told once, in its own words."""

    def answer(_: str, __: int) -> Reply:
        raise EndpointDownError(status, is_final=True)

    model = Model(answer)
    with pytest.raises(EndpointDownError, match=status):
        asked(connection, model, ["a"])
    assert (model.asked["a"], model.probes) == (1, 0)


def test_a_server_that_is_gone_is_not_waited_for(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a reply is awaited it is looked whether there is anybody; if not, the request is ended."""
    monkeypatch.setattr(asking, "LOOKING", 0.05)
    cut = threading.Event()

    class Going(Model):
        def cut_if_gone(self) -> bool:
            cut.set()
            return True

    def answer(_: str, __: int) -> Reply:
        if not cut.wait(20):
            return said("it was waited for")
        raise NoReplyError("dropped")

    with pytest.raises(EndpointDownError):
        asked(connection, Going(answer, is_there=False), ["a"], slots=1)


def test_whoever_waits_long_is_called(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a reply is awaited the drain can renew what it has claimed."""
    monkeypatch.setattr(asking, "LOOKING", 0.05)
    called = threading.Event()
    model = Model(lambda text, _: said(text if called.wait(20) else "nobody was called"))
    with asking.Pump(connection, model, "llm:small", Way(1, 10.0)) as pump:
        pump.on_wait = called.set
        pump.submit(ask("a"))
        assert pump.next()[1] == stored("a")
