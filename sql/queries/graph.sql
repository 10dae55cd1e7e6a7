-- A document's rows of the graph. Writers hold the graph's advisory lock shared, who removes rows of entities or
-- documents holds it alone; it is taken before any row is locked. 1296912207 is "MMOG" as a number.

-- name: share_graph
-- Waits until nobody has the graph alone; held to the end of the transaction.
select pg_advisory_xact_lock_shared(1296912207, 1);

-- name: own_graph
-- Waits until nobody else writes to the graph; held to the end of the transaction.
select pg_advisory_xact_lock(1296912207, 1);

-- name: insert_entities
-- Adds the entities that are not there yet, and returns the ids of those it added. The order keeps two writers of
-- the same entities from a deadlock.
insert into entities (generation, type, key, name)
select %(generation)s, e.type, e.key, e.name
from unnest(%(types)s::text[], %(keys)s::text[], %(names)s::text[]) as e (type, key, name)
order by e.type collate "C", e.key collate "C"
on conflict do nothing
returning entity_id;

-- name: entity_ids
-- The ids of entities, in the order asked for: place, entity_id.
select e.place, found.entity_id
from unnest(%(types)s::text[], %(keys)s::text[]) with ordinality as e (type, key, place)
join entities found on found.generation = %(generation)s and found.type = e.type and found.key = e.key
order by e.place;

-- name: mark_stale
-- Marks entities, and what the document mentioned until now: their names may be others after this.
-- Rows are locked in the order of insert_entities; the owner's name is the one that was given.
with touched as materialized (
    select entity_id from entities
    where generation = %(generation)s and not name_stale and not is_owner
        and entity_id = any(
            %(ids)s::bigint[] || array(
                select m.entity_id from mentions m
                where m.generation = %(generation)s and m.document_id = %(document_id)s
            )
        )
    order by type collate "C", key collate "C"
    for no key update
)
update entities e set name_stale = true from touched where e.entity_id = touched.entity_id;

-- name: mark_mentioned_stale
-- Marks what these documents mention, in every generation. Called by who has the graph alone.
update entities set name_stale = true
where not name_stale and not is_owner
    and entity_id in (select entity_id from mentions where document_id = any(%(document_ids)s::bigint[]));

-- name: delete_mentions
-- Deletes a document's mentions of entities that it does not mention any more, with their spans.
delete from mentions
where generation = %(generation)s and document_id = %(document_id)s and entity_id <> all(%(ids)s::bigint[]);

-- name: put_mentions
-- Adds a document's mentions, and changes those that are not the same.
insert into mentions as m (generation, document_id, entity_id, role, count, quoted)
select %(generation)s, %(document_id)s, n.*
from unnest(%(ids)s::bigint[], %(roles)s::text[], %(counts)s::integer[], %(quoted)s::integer[]) as n
on conflict (generation, document_id, entity_id)
    do update set role = excluded.role, count = excluded.count, quoted = excluded.quoted
where (m.role, m.count, m.quoted) is distinct from (excluded.role, excluded.count, excluded.quoted);

-- name: delete_spans
-- Deletes a document's spans that are not there any more.
delete from mention_spans s
where s.generation = %(generation)s and s.document_id = %(document_id)s
    and not exists (
        select from unnest(%(ids)s::bigint[], %(starts)s::integer[], %(ends)s::integer[])
            as n (entity_id, start_offset, end_offset)
        where n.entity_id = s.entity_id and n.start_offset = s.start_offset and n.end_offset = s.end_offset
    );

-- name: put_spans
-- Adds a document's spans, and changes those that are not the same.
insert into mention_spans as s
    (generation, document_id, entity_id, start_offset, end_offset, form, page, chunk_ordinal, quoted)
select %(generation)s, %(document_id)s, n.*
from unnest(
    %(ids)s::bigint[], %(starts)s::integer[], %(ends)s::integer[], %(forms)s::text[], %(pages)s::integer[],
    %(chunks)s::integer[], %(quoted)s::boolean[]
) as n
on conflict (generation, document_id, entity_id, start_offset, end_offset) do update
set form = excluded.form, page = excluded.page, chunk_ordinal = excluded.chunk_ordinal, quoted = excluded.quoted
where (s.form, s.page, s.chunk_ordinal, s.quoted)
    is distinct from (excluded.form, excluded.page, excluded.chunk_ordinal, excluded.quoted);

-- name: delete_relations
-- Deletes a document's relations, the refused ones, too.
with gone as (
    delete from refused_relations where generation = %(generation)s and document_id = %(document_id)s
)
delete from relations where generation = %(generation)s and document_id = %(document_id)s;

-- name: insert_relations
-- Adds a document's relations. Who found one read it off a sentence: it is not inferred, and certain as such.
insert into relations (generation, document_id, subject_id, predicate_raw, predicate, object_id, start_offset,
    end_offset, page, chunk_ordinal, quoted, confidence)
select %(generation)s, %(document_id)s, n.*, 1
from unnest(
    %(subjects)s::bigint[], %(raws)s::text[], %(predicates)s::text[], %(objects)s::bigint[], %(starts)s::integer[],
    %(ends)s::integer[], %(pages)s::integer[], %(chunks)s::integer[], %(quoted)s::boolean[]
) as n;

-- name: insert_refused
-- Adds a document's relations that their predicate does not allow.
insert into refused_relations (generation, document_id, subject_id, predicate_raw, predicate, object_id, start_offset,
    end_offset, page, chunk_ordinal)
select %(generation)s, %(document_id)s, n.*
from unnest(
    %(subjects)s::bigint[], %(raws)s::text[], %(predicates)s::text[], %(objects)s::bigint[], %(starts)s::integer[],
    %(ends)s::integer[], %(pages)s::integer[], %(chunks)s::integer[]
) as n;

-- name: put_contribution
-- Says that the document is in the graph, whole: the last row of its transaction.
insert into contributions as c (generation, document_id, digest)
values (%(generation)s, %(document_id)s, %(digest)s)
on conflict (generation, document_id) do update set digest = excluded.digest, stored_at = now();

-- name: delete_contributions
-- Takes documents out of every generation.
with gone_mentions as (delete from mentions where document_id = any(%(document_ids)s::bigint[])),
    gone_relations as (delete from relations where document_id = any(%(document_ids)s::bigint[])),
    gone_refused as (delete from refused_relations where document_id = any(%(document_ids)s::bigint[]))
delete from contributions where document_id = any(%(document_ids)s::bigint[]);

-- name: delete_chunks
-- Deletes the chunks of documents; returns the hash of each content, once.
with gone as (delete from chunks where document_id = any(%(document_ids)s::bigint[]) returning content_sha256)
select distinct content_sha256 from gone;

-- name: delete_unused_extractions
-- Deletes what was found in these contents, and what models answered about them, where no chunk has them any more.
with unused as materialized (
    select h.content_sha256 from unnest(%(hashes)s::text[]) as h (content_sha256)
    where not exists (select from chunks c where c.content_sha256 = h.content_sha256)
), gone_replies as (
    delete from model_replies r using unused u where r.content_sha256 = u.content_sha256
)
delete from chunk_extractions x using unused u where x.content_sha256 = u.content_sha256;

-- name: stale_entities
-- The next entities whose name is to be chosen again, and whether any document mentions them.
select e.entity_id, exists (select from mentions m where m.entity_id = e.entity_id) as mentioned
from entities e
where e.generation = %(generation)s and e.name_stale
order by e.entity_id
limit %(limit)s;

-- name: delete_entities
-- Deletes entities.
delete from entities where entity_id = any(%(ids)s::bigint[]);

-- name: forms
-- How often each form of these entities stands in the texts, in their own words.
select entity_id, form, count(*) filter (where not quoted) as n from mention_spans
where entity_id = any(%(ids)s::bigint[]) group by entity_id, form;

-- name: set_names
-- Gives entities their names.
update entities e set name = n.name, name_stale = false
from unnest(%(ids)s::bigint[], %(names)s::text[]) as n (entity_id, name)
where e.entity_id = n.entity_id;

-- name: copy_mentions
-- Takes mentions of documents that have none in the generation.
copy mentions (generation, document_id, entity_id, role, count, quoted) from stdin;

-- name: copy_spans
-- Takes spans of mentions that were just taken.
copy mention_spans (generation, document_id, entity_id, start_offset, end_offset, form, page, chunk_ordinal, quoted)
from stdin;

-- name: copy_relations
-- Takes relations, as insert_relations.
copy relations (generation, document_id, subject_id, predicate_raw, predicate, object_id, start_offset, end_offset, page,
    chunk_ordinal, quoted, confidence)
from stdin;

-- name: copy_refused
-- Takes relations that their predicate does not allow.
copy refused_relations (generation, document_id, subject_id, predicate_raw, predicate, object_id, start_offset,
    end_offset, page, chunk_ordinal)
from stdin;

-- name: copy_contributions
-- Says that documents are in the graph, whole: the last rows of their transaction.
copy contributions (generation, document_id, digest) from stdin;

-- name: entities_after
-- The id up to which the next entities of a generation go: last, null where there are none.
select max(entity_id) as last
from (
    select entity_id from entities where generation = %(generation)s and entity_id > %(after)s
    order by entity_id limit %(limit)s
) as next_ones;

-- name: delete_unmentioned
-- Deletes the entities of a range that no document mentions, but for the owner.
delete from entities e
where e.generation = %(generation)s and e.entity_id > %(after)s and e.entity_id <= %(upto)s and not e.is_owner
    and not exists (select from mentions m where m.entity_id = e.entity_id);

-- name: forms_to_choose
-- Of a range the entities that may have to have another name, with all their forms and how often each stands in the
-- texts in their own words: those with several forms, and those whose one form is not the name.
select f.entity_id, array_agg(f.form) as forms, array_agg(f.n) as counts
from (
    select entity_id, form, count(*) filter (where not quoted) as n
    from mention_spans
    where generation = %(generation)s and entity_id > %(after)s and entity_id <= %(upto)s
    group by entity_id, form
) as f
join entities e using (entity_id)
where not e.is_owner
group by f.entity_id, e.name, e.name_stale
having count(*) > 1 or min(f.form) <> e.name or e.name_stale
order by f.entity_id;
