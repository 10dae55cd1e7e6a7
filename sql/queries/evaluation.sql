-- Bake-offs: the documents that recipes are measured on, what asking cost, and the reports.

-- name: candidates
-- The documents that have chunks, in an order that outlives a rebuild: document_id, ext, chunks.
-- folders: those outside of which none is looked at, each with a slash at its end, or null.
select d.document_id, coalesce(f.ext, p.ext, '') as ext, c.chunks
from documents d
join (select document_id, count(*)::integer as chunks from chunks group by document_id) c using (document_id)
left join lateral (
    select min(ext) as ext from files where sha256 = d.sha256 and outcome = 'admitted' and missing_since is null
) f on true
left join lateral (select min(ext) as ext from document_parts where child_id = d.document_id) p on true
where %(folders)s::bytea[] is null or d.document_id not in (select outside(%(folders)s::bytea[]))
order by d.sha256;

-- name: sampled_chunks
-- The chunks of documents, in order: document_id, text, content_sha256.
select document_id, text, content_sha256 from chunks
where document_id = any(%(document_ids)s::bigint[])
order by document_id, ordinal;

-- name: latest_calls
-- What the latest call of each request took, answered or not: request_hash, milliseconds.
select distinct on (request_hash) request_hash, milliseconds from model_calls
where request_hash = any(%(hashes)s::text[])
order by request_hash, call_id desc;

-- name: keep_bakeoff
-- Keeps a report.
insert into bakeoffs (recipes, report, markdown)
values (%(recipes)s::text[], %(report)s, %(markdown)s)
returning bakeoff_id;

-- name: latest_bakeoff
-- The latest report, if there is one: bakeoff_id, ran_at, recipes, report, markdown.
select bakeoff_id, ran_at, recipes, report, markdown from bakeoffs order by bakeoff_id desc limit 1;
