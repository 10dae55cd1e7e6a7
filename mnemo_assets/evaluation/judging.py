"""Judges asked: each relation once, whoever found it, and never again what was judged before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mnemo_assets.evaluation import judge
from mnemo_assets.extractions.parse import StoredReply
from mnemo_assets.pipeline import asking
from mnemo_assets.pipeline.asking import Ask

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mnemo_assets.database import Connection
    from mnemo_assets.evaluation.findings import Claim
    from mnemo_assets.evaluation.judge import Verdict
    from mnemo_assets.evaluation.seats import Seat
    from mnemo_assets.pipeline.progress import OnProgress


def verdicts(
    connection: Connection, seat: Seat, claims: Iterable[Claim], on_progress: OnProgress
) -> dict[Claim, Verdict | None]:
    """What a judge says of relations; None where it gives no verdict.

    Args:
        connection: the owner's, in autocommit mode.
        seat: the judge.
        claims: the relations.
        on_progress: is told how many of how many are judged.

    Raises:
        EndpointDownError, LeaseLostError: what was answered until then is kept.
    """
    preset, answer_format = seat.template.preset, seat.template.answer_format
    requests = {
        claim: judge.request(seat.model, preset, claim, answer_format=answer_format) for claim in claims
    }
    asks = {request.key: Ask(request, claim.content_sha256) for claim, request in reversed(requests.items())}
    found: dict[str, Verdict | None] = {}
    session, recipe = seat.session, f"judge:{seat.model}"
    for ask, answer in asking.ask(
        connection, session.endpoint, list(asks.values())[::-1], recipe, session.way
    ):
        found[ask.request.key] = judge.verdict(answer) if isinstance(answer, StoredReply) else None
        on_progress(f"judge {seat.model}", len(found), len(asks))
    return {claim: found[request.key] for claim, request in requests.items()}
