-- Documents waiting to be read. Of a document's files the first by extension, archive and path is the one that decides
-- which reader's text it has. A document that no file holds is read as the part that it is of another one.
-- exts, readers, versions: one entry for each extension that is admitted. only: these sha256s, or null for all.
-- converts: the kinds of documents that a program can convert which is installed now.
-- again: of those that do not wait, also 'failed' ones that could not be read, 'cached' ones that have a text, or 'all'.

-- name: count_waiting
-- How many documents are to be read, claimed or not: n.
select count(*) as n
from documents d
cross join lateral (
    select array_position(%(exts)s::text[], held.ext) as place
    from (
        (
            select f.ext from files f
            where f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
                and f.ext = any(%(exts)s::text[])
            order by f.ext
            limit 1
        )
        union all
        (
            select p.ext from document_parts p
            where p.child_id = d.document_id and p.ext = any(%(exts)s::text[])
            order by p.ext
            limit 1
        )
        limit 1
    ) held
) best
where (%(only)s::text[] is null or d.sha256 = any(%(only)s::text[]))
    and (
        (d.stage = 'new' and (d.error_class is distinct from 'ConverterMissing' or d.error = any(%(converts)s::text[])))
        or (
            d.stage <> 'new'
            and (
                d.reader is distinct from (%(readers)s::text[])[best.place]
                or d.reader_version is distinct from (%(versions)s::integer[])[best.place]
            )
        )
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
        select array_position(%(exts)s::text[], held.ext) as place
        from (
            (
                select f.ext from files f
                where f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
                    and f.ext = any(%(exts)s::text[])
                order by f.ext
                limit 1
            )
            union all
            (
                select p.ext from document_parts p
                where p.child_id = d.document_id and p.ext = any(%(exts)s::text[])
                order by p.ext
                limit 1
            )
            limit 1
        ) held
    ) best
    where d.document_id > %(after)s and d.claimed_by is null
        and (%(only)s::text[] is null or d.sha256 = any(%(only)s::text[]))
        and (
            (d.stage = 'new' and (d.error_class is distinct from 'ConverterMissing' or d.error = any(%(converts)s::text[])))
            or (
                d.stage <> 'new'
                and (
                    d.reader is distinct from (%(readers)s::text[])[best.place]
                    or d.reader_version is distinct from (%(versions)s::integer[])[best.place]
                )
            )
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
returning d.document_id, d.claim_token, d.sha256, d.stage, d.forced, coalesce(d.reader_version = 0, false) as anew;

-- name: readable_files
-- Where documents can be read, in the order in which to try it: the files that are them, then those that hold them as
-- a part; parts has the path and the extension of each part on the way, from the outermost. Some of the ways are
-- enough. Paths of parts are those that the reader of their parent gave them, and no other.
with recursive format as materialized (
    select * from unnest(%(exts)s::text[], %(readers)s::text[]) as r (ext, reader)
), way (document_id, holder_id, depth, parts) as (
    select wanted.document_id, p.parent_id, 1, jsonb_build_array(jsonb_build_array(p.path, p.ext))
    from unnest(%(document_ids)s::bigint[]) as wanted (document_id)
    cross join lateral (
        select distinct on (p.parent_id) p.parent_id, p.path, p.ext
        from document_parts p
        where p.child_id = wanted.document_id and p.ext = any(%(exts)s::text[])
        order by p.parent_id, p.ordinal
        limit %(ways)s
    ) p
    union all
    select w.document_id, p.parent_id, w.depth + 1, jsonb_build_array(jsonb_build_array(p.path, p.ext)) || w.parts
    from way w
    cross join lateral (
        select distinct on (p.parent_id) p.parent_id, p.path, p.ext
        from document_parts p
        join documents h on h.document_id = p.child_id
        join format r on r.ext = p.ext and r.reader = h.reader
        where p.child_id = w.holder_id
        order by p.parent_id, p.ordinal
        limit %(ways)s
    ) p
    where w.depth < %(deepest)s
)
select d.document_id, 0 as depth, f.archive_id, a.root, f.path, f.ext, f.size_bytes, f.mtime_ns, '[]'::jsonb as parts
from documents d
join files f on f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
join archives a using (archive_id)
where d.document_id = any(%(document_ids)s::bigint[]) and f.ext = any(%(exts)s::text[])
union all
select w.document_id, w.depth, f.archive_id, f.root, f.path, f.ext, f.size_bytes, f.mtime_ns, w.parts
from way w
join documents h on h.document_id = w.holder_id
cross join lateral (
    select f.archive_id, a.root, f.path, f.ext, f.size_bytes, f.mtime_ns
    from files f
    join format r on r.ext = f.ext and r.reader = h.reader
    join archives a using (archive_id)
    where f.sha256 = h.sha256 and f.outcome = 'admitted' and f.missing_since is null
    order by f.ext, f.archive_id, f.path
    limit %(ways)s
) f
order by document_id, depth, ext, archive_id, path;

-- name: text_shape
-- A document's chunks, in order, where its pages begin and what is quoted: what decides whether it is mined again.
select c.ordinal, c.start_offset, c.end_offset, c.first_page, c.last_page, c.content_sha256, d.page_starts, d.quoted
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
    pages = %(pages)s, page_starts = %(page_starts)s::integer[], quoted = %(quoted)s::integer[], chars = %(chars)s,
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
    error = case when stage = 'new' then %(error)s else error end,
    claimed_by = null, claimed_until = null, claim_token = null
where document_id = %(document_id)s;

-- name: document_of
-- Whether a content still has a document.
select from documents where sha256 = %(sha256)s;
