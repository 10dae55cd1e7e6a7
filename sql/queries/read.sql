-- Documents waiting to be read. A file can be read if its extension has a reader; of a document's files the first
-- by extension, archive and path is the one that decides which reader's text it has.
-- exts, readers, versions: one entry for each extension that has a reader. only: these sha256s, or null for all.
-- again: of those that do not wait, also 'failed' ones that could not be read, 'cached' ones that have a text, or 'all'.

-- name: mark_reader_to_come
-- Marks the new documents of which no file has a reader; they go on by themselves once one has.
update documents d set error_class = 'ReaderToCome'
where d.stage = 'new' and d.claimed_by is null and d.error_class is distinct from 'ReaderToCome'
    and exists (
        select from files f
        where f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
    )
    and not exists (
        select from files f
        where f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
            and f.ext = any(%(exts)s::text[])
    );

-- name: count_waiting
-- How many documents are to be read, claimed or not: n.
select count(*) as n
from documents d
cross join lateral (
    select r.reader, r.version
    from files f
    join unnest(%(exts)s::text[], %(readers)s::text[], %(versions)s::integer[]) as r (ext, reader, version)
        on r.ext = f.ext
    where f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
    order by f.ext
    limit 1
) best
where (%(only)s::text[] is null or d.sha256 = any(%(only)s::text[]))
    and (
        d.stage = 'new' or (d.reader, d.reader_version) is distinct from (best.reader, best.version)
        or (%(again)s = 'failed' and d.stage = 'failed' and d.error_class is distinct from 'ExtractionFailed')
        or (%(again)s = 'cached' and d.stage in ('extracted', 'graphed'))
        or %(again)s = 'all'
    );

-- name: claim_reading
-- Claims the next documents to be read: the new ones, and those whose text is another reader's by now.
with waiting as materialized (
    select d.document_id
    from documents d
    cross join lateral (
        select r.reader, r.version
        from files f
        join unnest(%(exts)s::text[], %(readers)s::text[], %(versions)s::integer[]) as r (ext, reader, version)
            on r.ext = f.ext
        where f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
        order by f.ext
        limit 1
    ) best
    where d.document_id > %(after)s and d.claimed_by is null
        and (%(only)s::text[] is null or d.sha256 = any(%(only)s::text[]))
        and (
            d.stage = 'new' or (d.reader, d.reader_version) is distinct from (best.reader, best.version)
            or (%(again)s = 'failed' and d.stage = 'failed' and d.error_class is distinct from 'ExtractionFailed')
            or (%(again)s = 'cached' and d.stage in ('extracted', 'graphed'))
            or %(again)s = 'all'
        )
    order by d.document_id
    limit %(limit)s
    for no key update of d skip locked
)
update documents d
set claimed_by = %(claimant)s, claimed_until = now() + %(lease)s, claim_token = %(claim_token)s
from waiting where d.document_id = waiting.document_id
returning d.document_id, d.claim_token, d.sha256, d.stage, d.forced;

-- name: readable_files
-- The files that documents can be read from, in the order in which to try them.
select d.document_id, a.root, f.path, f.ext, f.size_bytes, f.mtime_ns
from documents d
join files f on f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
join archives a using (archive_id)
where d.document_id = any(%(document_ids)s::bigint[]) and f.ext = any(%(exts)s::text[])
order by d.document_id, f.ext, f.archive_id, f.path;

-- name: text_shape
-- A document's chunks, in order, and where its pages begin: what decides whether it is to be mined again.
select c.ordinal, c.start_offset, c.end_offset, c.first_page, c.last_page, c.content_sha256, d.page_starts
from chunks c join documents d using (document_id)
where c.document_id = %(document_id)s
order by c.ordinal;

-- name: insert_chunks
-- Adds a document's chunks.
insert into chunks
    (document_id, ordinal, start_offset, end_offset, first_page, last_page, text, content_sha256)
select %(document_id)s, n.*
from unnest(
    %(ordinals)s::integer[], %(starts)s::integer[], %(ends)s::integer[], %(first_pages)s::integer[],
    %(last_pages)s::integer[], %(texts)s::text[], %(hashes)s::text[]
) as n;

-- name: settle_reading
-- Writes the outcome of a reading and ends the claim. A text that is well has no tries behind it;
-- one that waits for text recognition has not come to its outcome.
update documents
set stage = %(stage)s,
    extracted_at = case when %(stage)s = 'extracted' then now() else extracted_at end,
    failed_at = case when %(stage)s = 'failed' then now() else failed_at end,
    skipped_at = case when %(stage)s = 'skipped' then now() else skipped_at end,
    ocr_pending_at = case when %(stage)s = 'ocr_pending' then now() else ocr_pending_at end,
    attempts = case %(stage)s when 'extracted' then 0 when 'ocr_pending' then attempts else attempts + 1 end,
    error_class = %(error_class)s, error = %(error)s, reader = %(reader)s, reader_version = %(reader_version)s,
    chunks_version = %(chunks_version)s, title = %(title)s,
    metadata = %(metadata)s, language = %(language)s, document_date = %(document_date)s, document_date_source = %(document_date_source)s,
    pages = %(pages)s, page_starts = %(page_starts)s::integer[], chars = %(chars)s,
    characters_removed = %(characters_removed)s, chunks_failed = 0,
    pages_awaiting_ocr = %(pages_awaiting_ocr)s, ocr_failed = %(ocr_failed)s, ocr_pages = %(ocr_pages)s::integer[],
    ocr_doubtful = %(ocr_doubtful)s::integer[], ocr_confidence = %(ocr_confidence)s,
    claimed_by = null, claimed_until = null, claim_token = null
where document_id = %(document_id)s
returning attempts;

-- name: settle_same_text
-- Writes what a reading found beside the text it had found before, and ends the claim: nothing is mined again.
-- What newer code made is to be reported, though nothing of it is new.
update documents
set reported_version = case
        when (reader, reader_version, chunks_version)
            is not distinct from (%(reader)s, %(reader_version)s::integer, %(chunks_version)s::integer)
            and (pages_awaiting_ocr, ocr_failed, ocr_pages)
                = (%(pages_awaiting_ocr)s, %(ocr_failed)s, %(ocr_pages)s::integer[])
        then reported_version
    end,
    chunks_version = %(chunks_version)s, reader = %(reader)s, reader_version = %(reader_version)s, title = %(title)s,
    metadata = %(metadata)s, language = %(language)s,
    document_date = %(document_date)s, document_date_source = %(document_date_source)s,
    characters_removed = %(characters_removed)s,
    pages_awaiting_ocr = %(pages_awaiting_ocr)s, ocr_failed = %(ocr_failed)s, ocr_pages = %(ocr_pages)s::integer[],
    ocr_doubtful = %(ocr_doubtful)s::integer[], ocr_confidence = %(ocr_confidence)s,
    error_class = case when coalesce(error_class, 'OcrFailed') = 'OcrFailed' then %(error_class)s else error_class end,
    claimed_by = null, claimed_until = null, claim_token = null
where document_id = %(document_id)s;

-- name: settle_unread
-- Says why a new document could not be read this time, and ends the claim; any other stays as it was.
update documents
set error_class = case when stage = 'new' then %(error_class)s else error_class end,
    error = case when stage = 'new' then null else error end,
    claimed_by = null, claimed_until = null, claim_token = null
where document_id = %(document_id)s;

-- name: document_of
-- Whether a content still has a document.
select from documents where sha256 = %(sha256)s;
