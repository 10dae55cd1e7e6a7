-- What the orchestrator was not told yet. The condition of the partial index stands word for word in the queries.

-- name: lock_report
-- Waits until nobody else reports; held until unlock_report, or the session's end.
select pg_advisory_lock(1296912207, 4);

-- name: try_lock_report
-- Whether nobody else was reporting: taken.
select pg_try_advisory_lock(1296912207, 4) as taken;

-- name: unlock_report
-- Lets another session report.
select pg_advisory_unlock(1296912207, 4);

-- name: any_unreported
-- Whether there is an unreported document: found.
select exists (
    select from documents
    where reported_at is null or reported_stage is distinct from stage or reported_class is distinct from error_class
        or reported_at < greatest(new_at, extracted_at, graphed_at, failed_at, skipped_at, ocr_pending_at)
) or exists (select from documents where reported_version < %(version)s)
    or exists (select from documents where reported_version > %(version)s)
    or exists (select from documents where reported_version is null) as found;

-- name: unreported
-- The next unreported documents after one, with what is new of each and the counts that are told.
with due as materialized (
    select * from (
        select document_id from documents
        where document_id > %(after)s and (
            reported_at is null or reported_stage is distinct from stage
            or reported_class is distinct from error_class
            or reported_at < greatest(new_at, extracted_at, graphed_at, failed_at, skipped_at, ocr_pending_at)
        )
        union
        select document_id from documents where document_id > %(after)s and reported_version < %(version)s
        union
        select document_id from documents where document_id > %(after)s and reported_version > %(version)s
        union
        select document_id from documents where document_id > %(after)s and reported_version is null
    ) as found
    order by document_id
    limit %(limit)s
)
select d.document_id, d.sha256, d.stage, d.error_class, d.attempts, d.reader, d.reader_version, d.chunks_version,
    d.pages, d.chars, d.characters_removed, d.pages_awaiting_ocr, d.chunks_failed, d.reported_version,
    cardinality(d.ocr_pages) as ocr_pages, d.ocr_failed, d.ocr_confidence,
    greatest(d.new_at, d.extracted_at, d.graphed_at, d.failed_at, d.skipped_at, d.ocr_pending_at) as changed_at,
    d.reported_at is null or (d.reported_stage, d.reported_class) is distinct from (d.stage, d.error_class)
        or d.reported_at < greatest(d.new_at, d.extracted_at, d.graphed_at, d.failed_at, d.skipped_at, d.ocr_pending_at)
        as is_moved,
    d.extracted_at is not null as was_read,
    coalesce(d.new_at > d.reported_at, true) as is_new,
    coalesce(d.extracted_at > d.reported_at, d.extracted_at is not null) as is_read,
    coalesce(d.graphed_at > d.reported_at, d.graphed_at is not null) as is_mined,
    f.files, f.rules_version, c.chunks, c.digest as chunks_digest, m.entities, m.mentions, r.relations,
    k.digest as graph_digest, g.recipe, g.recipe_version, g.derivation
from due
join documents d using (document_id)
cross join lateral (
    select count(*) as files, coalesce(min(f.rules_version), 0) as rules_version
    from (
        select f.rules_version from files f
        where f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
        union all
        select p.rules_version from document_parts p where p.child_id = d.document_id
    ) f
) f
cross join lateral (
    select count(*) as chunks, coalesce(md5(string_agg(c.content_sha256, '' order by c.ordinal)), '') as digest
    from chunks c where c.document_id = d.document_id
) c
left join (
    select g.generation, x.name as recipe, x.version as recipe_version, g.derivation
    from generations g join extractors x using (extractor_id) where g.state = 'active'
) g on true
left join contributions k on k.generation = g.generation and k.document_id = d.document_id
cross join lateral (
    select count(*) as entities, coalesce(sum(m.count), 0)::bigint as mentions
    from mentions m where m.generation = g.generation and m.document_id = d.document_id
) m
cross join lateral (
    select count(*) as relations
    from relations r where r.generation = g.generation and r.document_id = d.document_id
) r
order by d.document_id;

-- name: standing
-- These documents as `unreported` would return them, whether or not they are.
with due as materialized (
    select document_id from documents where sha256 = any(%(only)s::text[])
)
select d.document_id, d.sha256, d.stage, d.error_class, d.attempts, d.reader, d.reader_version, d.chunks_version,
    d.pages, d.chars, d.characters_removed, d.pages_awaiting_ocr, d.chunks_failed, d.reported_version,
    cardinality(d.ocr_pages) as ocr_pages, d.ocr_failed, d.ocr_confidence,
    greatest(d.new_at, d.extracted_at, d.graphed_at, d.failed_at, d.skipped_at, d.ocr_pending_at) as changed_at,
    d.reported_at is null or (d.reported_stage, d.reported_class) is distinct from (d.stage, d.error_class)
        or d.reported_at < greatest(d.new_at, d.extracted_at, d.graphed_at, d.failed_at, d.skipped_at, d.ocr_pending_at)
        as is_moved,
    d.extracted_at is not null as was_read,
    coalesce(d.new_at > d.reported_at, true) as is_new,
    coalesce(d.extracted_at > d.reported_at, d.extracted_at is not null) as is_read,
    coalesce(d.graphed_at > d.reported_at, d.graphed_at is not null) as is_mined,
    f.files, f.rules_version, c.chunks, c.digest as chunks_digest, m.entities, m.mentions, r.relations,
    k.digest as graph_digest, g.recipe, g.recipe_version, g.derivation
from due
join documents d using (document_id)
cross join lateral (
    select count(*) as files, coalesce(min(f.rules_version), 0) as rules_version
    from (
        select f.rules_version from files f
        where f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
        union all
        select p.rules_version from document_parts p where p.child_id = d.document_id
    ) f
) f
cross join lateral (
    select count(*) as chunks, coalesce(md5(string_agg(c.content_sha256, '' order by c.ordinal)), '') as digest
    from chunks c where c.document_id = d.document_id
) c
left join (
    select g.generation, x.name as recipe, x.version as recipe_version, g.derivation
    from generations g join extractors x using (extractor_id) where g.state = 'active'
) g on true
left join contributions k on k.generation = g.generation and k.document_id = d.document_id
cross join lateral (
    select count(*) as entities, coalesce(sum(m.count), 0)::bigint as mentions
    from mentions m where m.generation = g.generation and m.document_id = d.document_id
) m
cross join lateral (
    select count(*) as relations
    from relations r where r.generation = g.generation and r.document_id = d.document_id
) r
order by d.document_id;

-- name: mark_reported
-- Notes what was told of documents: as it was when it was looked at, so that a later change is still to be told.
with told as materialized (
    select d.document_id, t.stage, t.error_class, t.changed_at
    from unnest(
        %(document_ids)s::bigint[], %(stages)s::text[], %(error_classes)s::text[], %(changed_at)s::timestamptz[]
    ) as t (document_id, stage, error_class, changed_at)
    join documents d using (document_id)
    order by d.document_id
    for no key update of d
)
update documents d
set reported_stage = told.stage, reported_class = told.error_class, reported_at = told.changed_at,
    reported_version = %(version)s
from told where d.document_id = told.document_id;

-- name: forget_reports
-- Takes back what was noted, of all documents or of those with these keys: all is to be told again.
update documents
set reported_stage = null, reported_class = null, reported_at = null, reported_version = null
where reported_at is not null and (%(only)s::text[] is null or sha256 = any(%(only)s::text[]));

-- name: keys
-- The key of every document.
select sha256 from documents order by document_id;

-- name: chosen
-- The sha256s of the documents with one of these, or in one of these stages, the oldest first.
select sha256 from documents
where sha256 = any(%(only)s::text[]) or stage = any(%(stages)s::text[])
order by document_id;
