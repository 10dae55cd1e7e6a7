-- Bake-offs: the documents that recipes are measured on, what asking cost, and the reports.

-- name: candidates
-- The documents that have chunks, in an order that outlives a rebuild: document_id, ext, chunks.
-- folders: absolute paths, each with a slash at its end, or null for all documents. A document is left out if one of
-- its files lies elsewhere, or one of the files that hold it as a part, or if there is no file at all.
with recursive holders as (
    select d.document_id as part_id, d.document_id as holder_id from documents d
    union
    select h.part_id, p.parent_id from holders h join document_parts p on p.child_id = h.holder_id
),
places as (
    select h.part_id as document_id,
        bool_and(exists (
            select from unnest(%(folders)s::bytea[]) as folder (path)
            where substring(a.root || '/'::bytea || f.path for length(folder.path)) = folder.path
        )) as all_named
    from holders h
    join documents d on d.document_id = h.holder_id
    join files f on f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
    join archives a using (archive_id)
    where %(folders)s::bytea[] is not null
    group by h.part_id
)
select d.document_id, coalesce(f.ext, p.ext, '') as ext, c.chunks
from documents d
join (select document_id, count(*)::integer as chunks from chunks group by document_id) c using (document_id)
left join lateral (
    select min(ext) as ext from files where sha256 = d.sha256 and outcome = 'admitted' and missing_since is null
) f on true
left join lateral (select min(ext) as ext from document_parts where child_id = d.document_id) p on true
where %(folders)s::bytea[] is null
    or exists (select from places l where l.document_id = d.document_id and l.all_named)
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

-- name: measured
-- A row if some bake-off measured a recipe.
select from bakeoffs where %(recipe)s = any(recipes) limit 1;
