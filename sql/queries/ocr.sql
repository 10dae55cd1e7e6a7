-- Documents with pages that are pictures and wait for text recognition, and what was recognised on them.
-- only: these sha256s, or null for all. again: those whose pages were recognised already, too.
-- exts: the extensions that have a reader.

-- name: count_waiting
-- How many documents, and pages of them, are to be recognised, claimed or not: documents, pages.
select count(*) as documents,
    coalesce(sum(
        d.pages_awaiting_ocr + case when %(again)s then cardinality(d.ocr_pages) else - d.ocr_failed end
    ), 0)::bigint as pages
from documents d
where (%(only)s::text[] is null or d.sha256 = any(%(only)s::text[]))
    and d.stage in ('ocr_pending', 'extracted', 'graphed')
    and (d.pages_awaiting_ocr > d.ocr_failed or (%(again)s and (d.pages_awaiting_ocr > 0 or d.ocr_pages <> '{}')))
    and (
        exists (
            select from files f
            where f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
                and f.ext = any(%(exts)s::text[])
        )
        or exists (select from document_parts p where p.child_id = d.document_id and p.ext = any(%(exts)s::text[]))
    );

-- name: claim_recognition
-- Claims the next documents with pages to be recognised.
with waiting as materialized (
    select d.document_id
    from documents d
    where d.document_id > %(after)s and d.claimed_by is null
        and (%(only)s::text[] is null or d.sha256 = any(%(only)s::text[]))
        and d.stage in ('ocr_pending', 'extracted', 'graphed')
        and (d.pages_awaiting_ocr > d.ocr_failed or (%(again)s and (d.pages_awaiting_ocr > 0 or d.ocr_pages <> '{}')))
        and (
            exists (
                select from files f
                where f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
                    and f.ext = any(%(exts)s::text[])
            )
            or exists (
                select from document_parts p where p.child_id = d.document_id and p.ext = any(%(exts)s::text[])
            )
        )
    order by d.document_id
    limit %(limit)s
    for no key update of d skip locked
)
update documents d
set claimed_by = %(claimant)s, claimed_until = now() + %(lease)s, claim_token = %(claim_token)s
from waiting where d.document_id = waiting.document_id
returning d.document_id, d.claim_token, d.sha256, d.stage, d.forced;

-- name: renew
-- Lets a claim stand for longer: a document has any number of pages.
update documents set claimed_until = now() + %(lease)s where document_id = %(document_id)s;

-- name: recognitions
-- What is known of documents' pages: of each the latest text, else that it failed (text is null).
select distinct on (document_id, page) document_id, page, text, words, confidence, languages
from recognised_pages
where document_id = any(%(document_ids)s::bigint[])
order by document_id, page, text is null, recognised_at desc;

-- name: put_page
-- Keeps what came of a page. A failure does not take the place of a text.
insert into recognised_pages as p
    (document_id, page, engine, engine_version, languages, text, words, confidence, error, milliseconds)
values (
    %(document_id)s, %(page)s, %(engine)s, %(engine_version)s, %(languages)s, %(text)s, %(words)s, %(confidence)s,
    %(error)s, %(milliseconds)s
)
on conflict (document_id, page, engine, engine_version, languages) do update
set text = excluded.text, words = excluded.words, confidence = excluded.confidence, error = excluded.error,
    milliseconds = excluded.milliseconds, recognised_at = excluded.recognised_at
where excluded.text is not null or p.text is null;

-- name: forget_pages
-- Forgets what was recognised on documents' pages.
delete from recognised_pages where document_id = any(%(document_ids)s::bigint[]);

-- name: forget_failures
-- Forgets which pages of documents failed, or had nothing to read on them.
delete from recognised_pages
where document_id = any(%(document_ids)s::bigint[]) and coalesce(text, '') = '';

-- name: send_back
-- Has documents' pages that failed wait again: those of a text go on as they are, the others go back. Returns
-- document_id.
update documents
set stage = case when stage = 'failed' then 'ocr_pending' else stage end,
    ocr_pending_at = case when stage = 'failed' then now() else ocr_pending_at end,
    error_class = case when stage = 'failed' then 'Scanned' when error_class = 'OcrFailed' then null else error_class end,
    error = null,
    pages_awaiting_ocr = greatest(pages_awaiting_ocr, case when stage = 'failed' then 1 else 0 end),
    ocr_failed = 0
where (%(only)s::text[] is null or sha256 = any(%(only)s::text[])) and claimed_by is null
    and (stage = 'failed' and error_class = 'OcrFailed' or stage in ('extracted', 'graphed') and ocr_failed > 0)
returning document_id;
