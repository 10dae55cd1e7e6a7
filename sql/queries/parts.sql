-- The documents inside of documents. A document lives while a file holds it, or a part of a document that lives; no
-- part is followed that lies more than five deep. Who adds parts holds the ledger's advisory lock shared.

-- name: place_of
-- One row: how deep in a file a document lies (null: no file holds it at all), and the sha256s of it and of all that
-- it is inside of.
with recursive above (document_id, depth) as (
    select %(document_id)s::bigint, 0
    union
    select p.parent_id, a.depth + 1
    from above a join document_parts p on p.child_id = a.document_id
    where a.depth < %(deepest)s
)
select min(a.depth) filter (
        where exists (select from files f where f.sha256 = d.sha256 and f.missing_since is null)
    ) as depth,
    array_agg(distinct d.sha256) as hashes
from above a join documents d using (document_id);

-- name: delete_parts
-- Deletes the parts of a document that are not there any more, or are judged otherwise; returns the documents that
-- these were.
with gone as (
    delete from document_parts p
    where p.parent_id = %(document_id)s and not exists (
        select from unnest(%(paths)s::text[], %(hashes)s::text[], %(rules)s::text[]) as n (path, sha256, rule)
        where n.path = p.path and n.sha256 = p.sha256 and n.rule is not distinct from p.rule
    )
    returning p.child_id
)
select child_id from gone where child_id is not null;

-- name: put_parts
-- Adds the parts of a document, and changes those that are not the same. Those without a rule have a document.
insert into document_parts as p
    (parent_id, path, ordinal, name, ext, size_bytes, sha256, rule, rules_version, child_id)
select %(document_id)s, n.path, n.ordinal, n.name, n.ext, n.size_bytes, n.sha256, n.rule, %(rules_version)s,
    d.document_id
from unnest(
    %(paths)s::text[], %(names)s::text[], %(exts)s::text[], %(sizes)s::bigint[], %(hashes)s::text[], %(rules)s::text[]
) with ordinality as n (path, name, ext, size_bytes, sha256, rule, ordinal)
left join documents d on d.sha256 = n.sha256 and n.rule is null
order by n.path collate "C"
on conflict (parent_id, path) do update
set ordinal = excluded.ordinal, name = excluded.name, ext = excluded.ext, rules_version = excluded.rules_version
where (p.ordinal, p.name, p.ext, p.rules_version)
    is distinct from (excluded.ordinal, excluded.name, excluded.ext, excluded.rules_version);

-- name: liftable
-- The parts that were too deep and are not any more, since what they are a part of is held by another, too.
with recursive above (start_id, document_id, depth) as (
    select p.parent_id, p.parent_id, 0 from document_parts p where p.rule = 'part:too-deep'
    union
    select a.start_id, p.parent_id, a.depth + 1
    from above a join document_parts p on p.child_id = a.document_id
    where a.depth + 1 < %(deepest)s
)
select p.parent_id, p.path, p.sha256
from document_parts p
where p.rule = 'part:too-deep' and exists (
    select from above a join documents d using (document_id) join files f on f.sha256 = d.sha256
    where a.start_id = p.parent_id and f.missing_since is null
)
order by p.parent_id, p.path collate "C";

-- name: lift
-- Lets parts in that were too deep.
update document_parts p set rule = null, child_id = d.document_id
from unnest(%(parent_ids)s::bigint[], %(paths)s::text[]) as n (parent_id, path)
cross join documents d
where p.parent_id = n.parent_id and p.path = n.path and p.rule = 'part:too-deep' and d.sha256 = p.sha256;

-- name: mark_outdated
-- Has the documents read again whose parts older rules have judged; nothing of it is taken from the cache.
update documents d set reader_version = 0
where d.claimed_by is null and d.reader_version <> 0
    and d.document_id in (select parent_id from document_parts where rules_version <> %(rules_version)s);
