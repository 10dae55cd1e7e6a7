"""What asking models about a document cost, for the owner's eyes."""

from __future__ import annotations

from pydantic import Field

from mnemo_assets.database import Connection, queries
from mnemo_assets.serve.answer import Value

Q = queries("serve")


class Cost(Value):
    """The requests of one recipe about a document, answered or not."""

    recipe: str = Field(description="Whose requests.")
    calls: int = Field(description="Requests.")
    attempts: int = Field(description="How often they were sent, together.")
    prompt_tokens: int = Field(description="Tokens that the model read.")
    completion_tokens: int = Field(description="Tokens that it wrote.")
    milliseconds: int = Field(description="Of all attempts.")


def of_document(connection: Connection, document_id: int) -> tuple[Cost, ...]:
    """What each recipe's requests about a document cost; nothing where no model was asked."""
    return tuple(Cost(**row) for row in connection.execute(Q["document_costs"], {"document_id": document_id}))
