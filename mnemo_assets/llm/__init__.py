"""The one room that talks to a model's endpoint.

The client of the package openai is made for a service: it reads a key, headers and proxies from the
environment, follows redirects with the body, tries again by itself, tells what machine it runs on, and its
log holds what was sent. Here a request goes once, to an address that was found to be one it may go to, with
the headers written in `wire` and no other, and what it says when it fails is a class.

`open_endpoint` is the way to an endpoint that may be sent text: it asks first what stands behind it.
"""

from mnemo_assets.llm.endpoint import Answer, Endpoint, Identity
from mnemo_assets.llm.opening import identify, open_endpoint
from mnemo_assets.llm.reply import Reply

__all__ = ["Answer", "Endpoint", "Identity", "Reply", "identify", "open_endpoint"]
