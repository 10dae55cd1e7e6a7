-- What models answered, by the sha256 of the exact request; and what every request cost.

-- name: replies_to
-- The replies to requests, those there are: request_hash, reply, reasoning, finish_reason, prompt_tokens,
-- completion_tokens.
select request_hash, reply, reasoning, finish_reason, prompt_tokens, completion_tokens
from model_replies where request_hash = any(%(hashes)s::text[]);

-- name: replies_about
-- The replies to requests about these contents, as replies_to, with content_sha256.
select content_sha256, request_hash, reply, reasoning, finish_reason, prompt_tokens, completion_tokens
from model_replies where content_sha256 = any(%(contents)s::text[]);

-- name: keep_reply
-- Keeps a reply; an earlier one to the same request gives way, since somebody asked again.
insert into model_replies as r (request_hash, content_sha256, model, reply, reasoning, finish_reason, prompt_tokens,
    completion_tokens, milliseconds, attempts)
values (%(request_hash)s, %(content_sha256)s, %(model)s, %(reply)s, %(reasoning)s, %(finish_reason)s,
    %(prompt_tokens)s, %(completion_tokens)s, %(milliseconds)s, %(attempts)s)
on conflict (request_hash) do update
set reply = excluded.reply, reasoning = excluded.reasoning, finish_reason = excluded.finish_reason,
    prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens,
    milliseconds = excluded.milliseconds, attempts = excluded.attempts, asked_at = excluded.asked_at;

-- name: count_call
-- Counts a request, answered or not. A document that is gone meanwhile is left out.
insert into model_calls
    (recipe, document_id, request_hash, outcome, prompt_tokens, completion_tokens, milliseconds, attempts)
values (%(recipe)s, (select document_id from documents where document_id = %(document_id)s), %(request_hash)s,
    %(outcome)s, %(prompt_tokens)s, %(completion_tokens)s, %(milliseconds)s, %(attempts)s);
