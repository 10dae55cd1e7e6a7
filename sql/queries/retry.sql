-- Documents that are sent back to an earlier stage by their owner.

-- name: documents_like
-- The documents whose sha256 begins like this, two at most.
select document_id, sha256 from documents where sha256 like %(prefix)s || '%%' order by sha256 limit 2;

-- name: send_back
-- Sends documents back: to "extracted" where their text is well and mining failed, else to "new". Only with force,
-- or by name, what a gate keeps out; only by both what is well. Returns document_id, stage.
with chosen as materialized (
    select document_id,
        case
            when %(force)s and %(document_id)s::bigint is not null then 'new'
            when error_class in ('ExtractionFailed', 'Partial') then 'extracted'
            else 'new'
        end as target
    from documents
    where (%(document_id)s::bigint is null or document_id = %(document_id)s)
        and (%(stage)s::text is null or stage = %(stage)s)
        and (%(error_class)s::text is null or error_class = %(error_class)s)
        and (
            stage = 'failed'
            or (stage = 'graphed' and error_class = 'Partial')
            or (
                stage = 'ocr_pending'
                and num_nonnulls(%(stage)s::text, %(error_class)s::text, %(document_id)s::bigint) > 0
            )
            or (
                stage = 'skipped'
                and (%(document_id)s::bigint is not null or (
                    %(force)s and num_nonnulls(%(stage)s::text, %(error_class)s::text) > 0
                ))
            )
            or (%(force)s and %(document_id)s::bigint is not null)
        )
    order by document_id
    for no key update
)
update documents d
set stage = chosen.target,
    new_at = case when chosen.target = 'new' then now() else new_at end,
    forced = forced or %(force)s,
    error_class = null, error = null, chunks_failed = 0,
    claimed_by = null, claimed_until = null, claim_token = null
from chosen where d.document_id = chosen.document_id
returning d.document_id, d.stage;

-- name: delete_failures
-- Deletes what says that texts of these documents could not be mined, or not all of them, with the replies that could
-- not be used: they are asked for again, and nothing else is.
with gone as (
    delete from chunk_extractions x
    using (
        select distinct content_sha256 from chunks where document_id = any(%(document_ids)s::bigint[])
    ) c
    where x.content_sha256 = c.content_sha256 and x.outcome <> 'done'
    returning x.faulty
)
delete from model_replies r using gone where r.request_hash = any(gone.faulty);
