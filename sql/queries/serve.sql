-- Questions answered with SELECT only, on the views of schema serve: the active generation.
-- Offsets are code points of a document's text; a keyset parameter that is null means "from the beginning".

-- name: limit_statement
-- Ends every statement of this transaction after so many milliseconds.
select set_config('statement_timeout', %(milliseconds)s, true);

-- name: document_stages
-- Documents by stage.
select stage as name, count(*) as n from serve.documents group by stage;

-- name: file_outcomes
-- Files by outcome; those that are no longer there count as missing, whatever their outcome was.
select case when missing_since is null then outcome else 'missing' end as name, count(*) as n
from serve.files group by 1;

-- name: error_classes
-- Documents by error class, those without one left out.
select error_class as name, count(*) as n from serve.documents where error_class is not null group by error_class;

-- name: archive_health
-- One row: archives that were whole at their last scan, archives in outage, archives never scanned whole.
select count(*) filter (where outage is null and healthy_at is not null) as healthy,
    count(*) filter (where outage is not null) as outage,
    count(*) filter (where outage is null and healthy_at is null) as unscanned
from serve.archives;

-- name: graph_size
-- One row: entities, mentions (spans) and relations of the active generation.
select (select count(*) from serve.entities) as entities,
    (select coalesce(sum(count), 0)::bigint from serve.mentions) as mentions,
    (select count(*) from serve.relations) as relations;

-- name: unknown_predicates
-- The most frequent words without a canonical predicate that two documents or more say: words, relations, documents.
select lower(replace(predicate_raw, '_', ' ')) as words, count(*) as relations,
    count(distinct document_id) as documents
from serve.relations
where predicate is null
group by 1
having count(distinct document_id) > 1
order by relations desc, words
limit %(limit)s;

-- name: refused_relations
-- How many relations their predicate does not allow: n.
select count(*) as n from serve.refused_relations;

-- name: document_costs
-- What requests to models about a document cost, by recipe.
select recipe, count(*) as calls, sum(attempts)::bigint as attempts,
    coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
    coalesce(sum(completion_tokens), 0)::bigint as completion_tokens, sum(milliseconds)::bigint as milliseconds
from serve.model_calls
where document_id = %(document_id)s
group by recipe
order by recipe;

-- name: document_faults
-- Texts of a document that the recipe of the graph could not deal with, or not with all of, by class.
select error_class as fault, count(*) as texts, count(*) filter (where outcome = 'split') as in_part
from serve.faults
where document_id = %(document_id)s
group by error_class
order by texts desc, error_class collate "C";

-- name: graph_digest
-- One row: sha256 over the lines "sha256:digest" of what the documents contributed, in order.
select encode(sha256(convert_to(coalesce(
        string_agg(d.sha256 || ':' || c.digest, E'\n' order by d.sha256 collate "C"), ''), 'UTF8')), 'hex') as digest
from serve.contributions c join serve.documents d using (document_id);

-- name: active_generation
-- The generation that is served and its recipe; no row before the first sync.
select generation, extractor, extractor_version, activated_at from serve.generation;

-- name: search_entities
-- A page of entities whose name, key or (the owner's) alias fits: rank 0 equal, 1 begins with it, 2 contains it.
with wanted as materialized (
    select serve.fold(%(query)s) as folded,
        replace(replace(replace(serve.fold(%(query)s), '\', '\\'), '%%', '\%%'), '_', '\_') as escaped
), pattern as materialized (
    select folded, escaped || '%%' as prefix,
        case when length(folded) >= 3 then '%%' || escaped || '%%' else escaped || '%%' end as part
    from wanted
), fitting as (
    select e.entity_id, serve.fold(e.name) as form from serve.entities e
    where serve.fold(e.name) like (select part from pattern)
    union all
    select e.entity_id, serve.fold(e.key) from serve.entities e
    where serve.fold(e.key) like (select part from pattern)
    union all
    select e.entity_id, serve.fold(form)
    from serve.entities e cross join serve.owner_names o cross join lateral (values (o.name), (o.key)) forms (form)
    where e.is_owner and serve.fold(form) like (select part from pattern)
), ranked as (
    select f.entity_id,
        min(case when f.form = p.folded then 0 when f.form like p.prefix then 1 else 2 end) as rank
    from fitting f cross join pattern p group by f.entity_id
), counted as (
    select e.entity_id, e.type, e.name, e.is_owner, r.rank,
        coalesce(m.mentions, 0)::bigint as mentions, coalesce(m.documents, 0) as documents
    from ranked r join serve.entities e using (entity_id)
    left join lateral (
        select sum(count) as mentions, count(*) as documents from serve.mentions where entity_id = e.entity_id
    ) m on true
    where %(type)s::text is null or e.type = %(type)s
)
select * from counted
where %(after_id)s::bigint is null
    or (rank, -mentions, entity_id) > (%(after_rank)s::integer, -%(after_mentions)s::bigint, %(after_id)s::bigint)
order by rank, -mentions, entity_id
limit %(limit)s;

-- name: entities_by_name
-- Entities that go by exactly this name: 0 the canonical key or form itself, 1 the same without accents and case.
with named as (
    select e.entity_id, case when e.key = %(key)s or e.name = %(name)s then 0 else 1 end as rank
    from serve.entities e
    where serve.fold(e.name) = serve.fold(%(name)s) or serve.fold(e.key) = serve.fold(%(name)s)
    union all
    select e.entity_id, case when o.key = %(key)s or o.name = %(name)s then 0 else 1 end
    from serve.entities e cross join serve.owner_names o
    where e.is_owner and (serve.fold(o.name) = serve.fold(%(name)s) or serve.fold(o.key) = serve.fold(%(name)s))
), best as (
    select entity_id, min(rank) as rank from named group by entity_id
)
select e.entity_id, e.type, e.name, e.is_owner, b.rank,
    (select coalesce(sum(count), 0)::bigint from serve.mentions m where m.entity_id = e.entity_id) as mentions,
    (select count(*) from serve.mentions m where m.entity_id = e.entity_id) as documents
from best b join serve.entities e using (entity_id)
where b.rank = (select min(rank) from best)
order by mentions desc, e.entity_id
limit %(limit)s;

-- name: entity
-- One entity with its counts, or no row.
select e.entity_id, e.type, e.name, e.is_owner,
    (select coalesce(sum(count), 0)::bigint from serve.mentions m where m.entity_id = e.entity_id) as mentions,
    (select count(*) from serve.mentions m where m.entity_id = e.entity_id) as documents
from serve.entities e
where e.entity_id = %(entity_id)s;

-- name: owner_aliases
-- The owner's names, the first one first.
select name from serve.owner_names order by ordinal, key;

-- name: entity_documents
-- A page of the documents that mention an entity, the newest first and the undated last; those behind them that do no
-- more than quote it from an earlier mail.
select m.document_id, d.sha256, d.title, t.date, t.date_source, m.role, m.count, m.quoted, (m.count = 0)::integer as rank
from serve.all_mentions m join serve.documents d using (document_id) join serve.document_dates t using (document_id)
where m.entity_id = %(entity_id)s
    and (%(document_id)s::bigint is null or m.document_id = %(document_id)s)
    and (%(after_id)s::bigint is null
        or (m.count = 0)::integer > %(after_rank)s::integer
        or ((m.count = 0)::integer = %(after_rank)s::integer
            and coalesce(t.date, '-infinity') < coalesce(%(after_date)s::date, '-infinity'))
        or ((m.count = 0)::integer = %(after_rank)s::integer
            and coalesce(t.date, '-infinity') = coalesce(%(after_date)s::date, '-infinity')
            and m.document_id > %(after_id)s))
order by rank, coalesce(t.date, '-infinity') desc, m.document_id
limit %(limit)s;

-- name: entity_spans
-- The first spans of an entity in each of these documents after a place, each with the text around it, and the pages
-- thereabouts that were recognised; spans that are quoted from an earlier mail are the last.
select s.document_id, s.start_offset, s.end_offset, s.page, s.form, s.quoted, w.window_start, w.window_text,
    o.ocr_pages, o.ocr_doubtful
from unnest(%(document_ids)s::bigint[]) as wanted (document_id)
cross join lateral (
    select * from serve.mention_spans
    where document_id = wanted.document_id and entity_id = %(entity_id)s
        and (quoted::integer, start_offset, end_offset) > (%(after_quoted)s, %(after_start)s, %(after_end)s)
    order by quoted, start_offset, end_offset
    limit %(spans)s
) s
left join lateral (
    select greatest(c.start_offset, s.start_offset - %(around)s) as window_start,
        substr(c.text, greatest(c.start_offset, s.start_offset - %(around)s) - c.start_offset + 1,
            s.end_offset + %(around)s - greatest(c.start_offset, s.start_offset - %(around)s)) as window_text
    from serve.chunks c
    where c.document_id = s.document_id and c.ordinal = s.chunk_ordinal
        and c.start_offset <= s.start_offset and c.end_offset >= s.end_offset
) w on true
left join lateral (
    select array(select page from unnest(r.ocr_pages) page where page between s.page - 8 and s.page + 8) as ocr_pages,
        array(select page from unnest(r.ocr_doubtful) page where page between s.page - 8 and s.page + 8) as ocr_doubtful
    from serve.recognised_documents r where r.document_id = s.document_id
) o on true
order by s.document_id, s.quoted, s.start_offset, s.end_offset;

-- name: relations_from
-- A page of what an entity is said to do: predicate, object, weight (distinct documents that say it in words of their
-- own) and one proof, which is quoted from an earlier mail only if all are.
with said as (
    select predicate, case when predicate is null then lower(predicate_raw) end as words, object_id as other_id, 
        count(distinct document_id) filter (where not quoted) as documents, bool_and(quoted) as quoted,
        max(confidence) as confidence, bool_and(inferred) as inferred,
        coalesce(min(relation_id) filter (where not quoted), min(relation_id)) as proof_id
    from serve.relations where subject_id = %(entity_id)s
    group by 1, 2, 3
)
select said.*, e.type, e.name, e.is_owner, r.predicate_raw, r.document_id, r.page, r.start_offset,
    substr(c.text, r.start_offset - c.start_offset + 1, least(r.end_offset - r.start_offset, %(quote)s)) as quote,
    o.ocr_pages, o.ocr_doubtful
from said join serve.entities e on e.entity_id = said.other_id
join serve.relations r on r.relation_id = said.proof_id
left join serve.chunks c on c.document_id = r.document_id and c.ordinal = r.chunk_ordinal
    and c.start_offset <= r.start_offset and c.end_offset > r.start_offset
left join lateral (
    select array(select page from unnest(k.ocr_pages) page where page between r.page and r.page + 8) as ocr_pages,
        array(select page from unnest(k.ocr_doubtful) page where page between r.page and r.page + 8) as ocr_doubtful
    from serve.recognised_documents k where k.document_id = r.document_id
) o on true
where %(after_id)s::bigint is null
    or (-said.documents, said.proof_id) > (-%(after_documents)s::bigint, %(after_id)s::bigint)
order by -said.documents, said.proof_id
limit %(limit)s;

-- name: relations_to
-- A page of what is said of an entity by others: the same as relations_from, read from the object's side.
with said as (
    select predicate, case when predicate is null then lower(predicate_raw) end as words, subject_id as other_id, 
        count(distinct document_id) filter (where not quoted) as documents, bool_and(quoted) as quoted,
        max(confidence) as confidence, bool_and(inferred) as inferred,
        coalesce(min(relation_id) filter (where not quoted), min(relation_id)) as proof_id
    from serve.relations where object_id = %(entity_id)s
    group by 1, 2, 3
)
select said.*, e.type, e.name, e.is_owner, r.predicate_raw, r.document_id, r.page, r.start_offset,
    substr(c.text, r.start_offset - c.start_offset + 1, least(r.end_offset - r.start_offset, %(quote)s)) as quote,
    o.ocr_pages, o.ocr_doubtful
from said join serve.entities e on e.entity_id = said.other_id
join serve.relations r on r.relation_id = said.proof_id
left join serve.chunks c on c.document_id = r.document_id and c.ordinal = r.chunk_ordinal
    and c.start_offset <= r.start_offset and c.end_offset > r.start_offset
left join lateral (
    select array(select page from unnest(k.ocr_pages) page where page between r.page and r.page + 8) as ocr_pages,
        array(select page from unnest(k.ocr_doubtful) page where page between r.page and r.page + 8) as ocr_doubtful
    from serve.recognised_documents k where k.document_id = r.document_id
) o on true
where %(after_id)s::bigint is null
    or (-said.documents, said.proof_id) > (-%(after_documents)s::bigint, %(after_id)s::bigint)
order by -said.documents, said.proof_id
limit %(limit)s;

-- name: cross_document_entities
-- A page of the entities that at least so many documents mention, those in most documents first.
with counted as (
    select entity_id, count(*) as documents, sum(count)::bigint as mentions
    from serve.mentions group by entity_id having count(*) >= %(min_documents)s
)
select e.entity_id, e.type, e.name, e.is_owner, c.mentions, c.documents
from counted c join serve.entities e using (entity_id)
where (%(type)s::text is null or e.type = %(type)s)
    and (%(after_id)s::bigint is null or (-c.documents, -c.mentions, e.entity_id)
        > (-%(after_documents)s::bigint, -%(after_mentions)s::bigint, %(after_id)s::bigint))
order by -c.documents, -c.mentions, e.entity_id
limit %(limit)s;

-- name: bridging
-- Per group (date, owner, other): entities, and those of them that at least so many documents mention.
with degrees as (
    select entity_id, count(*) as documents from serve.mentions group by entity_id
)
select case when e.is_owner then 'owner' when e.type = 'Date' then 'dates' else 'others' end as name,
    count(*) as entities, count(*) filter (where d.documents >= %(min_documents)s) as bridging
from serve.entities e left join degrees d using (entity_id)
where %(type)s::text is null or e.type = %(type)s
group by 1;

-- name: neighbours
-- The k best co-mentioned entities of one entity: shared documents over sqrt(degree x degree), single ones last.
-- Where k share two documents and more, the others need no degree.
with own as materialized (
    select document_id from serve.mentions where entity_id = %(entity_id)s order by document_id desc limit %(documents)s
), met as materialized (
    select m.entity_id, count(*) as shared
    from own join serve.mentions m using (document_id)
    where m.entity_id <> %(entity_id)s
    group by m.entity_id
), candidates as materialized (
    select entity_id, shared from met
    where shared >= 2 or (select count(*) from met where shared >= 2) < %(limit)s
), degrees as materialized (
    select c.entity_id, c.shared,
        (select count(*) from serve.mentions m where m.entity_id = c.entity_id) as documents
    from candidates c
), scored as materialized (
    select entity_id, shared, documents,
        shared / sqrt(documents::float8 * (select count(*) from own)::float8) as score
    from degrees
    order by (shared >= 2) desc, score desc, entity_id
    limit %(limit)s
)
select s.entity_id, e.type, e.name, e.is_owner, s.shared, s.documents, s.score,
    (select count(*) from met) as met
from scored s join serve.entities e using (entity_id)
order by (s.shared >= 2) desc, s.score desc, s.entity_id;

-- name: neighbours_of_neighbours
-- The k best entities two steps away: never met with the start itself, each by the best of the ways that lead to it.
-- Where k share two documents and more with one between, the others need no degree.
with near as materialized (
    select distinct m.entity_id from serve.mentions s join serve.mentions m using (document_id)
    where s.entity_id = %(entity_id)s
), via as materialized (
    select via_id, (select count(*) from serve.mentions m where m.entity_id = via_id) as documents
    from unnest(%(via_ids)s::bigint[]) as given (via_id)
), met as materialized (
    select via.via_id, via.documents as via_documents, m.entity_id, count(*) as shared
    from via
    join serve.mentions v on v.entity_id = via.via_id
    join serve.mentions m on m.document_id = v.document_id
    where not exists (select from near where near.entity_id = m.entity_id)
    group by via.via_id, via.documents, m.entity_id
), candidates as materialized (
    select * from met
    where shared >= 2 or (select count(distinct entity_id) from met where shared >= 2) < %(limit)s
), degrees as materialized (
    select entity_id, (select count(*) from serve.mentions m where m.entity_id = each.entity_id) as documents
    from (select distinct entity_id from candidates) each
), best as (
    select distinct on (c.entity_id) c.entity_id, c.via_id, c.shared, d.documents,
        c.shared / sqrt(d.documents::float8 * c.via_documents::float8) as score
    from candidates c join degrees d using (entity_id)
    order by c.entity_id, (c.shared >= 2) desc, score desc, c.via_id
)
select b.entity_id, e.type, e.name, e.is_owner, b.via_id, b.shared, b.documents, b.score
from best b join serve.entities e using (entity_id)
order by (b.shared >= 2) desc, b.score desc, b.entity_id
limit %(limit)s;

-- name: relations_between
-- What is said between the entities of each pair (from, to), in both directions, with its weight.
select pair.from_id, pair.to_id, r.subject_id = pair.from_id as forwards, r.predicate,
    min(r.predicate_raw) as predicate_raw, count(distinct r.document_id) filter (where not r.quoted) as documents
from unnest(%(from_ids)s::bigint[], %(to_ids)s::bigint[]) as pair (from_id, to_id)
join serve.relations r on (r.subject_id = pair.from_id and r.object_id = pair.to_id)
    or (r.subject_id = pair.to_id and r.object_id = pair.from_id)
group by pair.from_id, pair.to_id, forwards, r.predicate, case when r.predicate is null then lower(r.predicate_raw) end
order by documents desc, r.predicate, predicate_raw, forwards;

-- name: timeline
-- A page of the documents that mention an entity between two days, the earliest first and the undated last.
select m.document_id, d.sha256, d.title, t.date, t.date_source, m.role, m.count, 0 as quoted
from serve.mentions m join serve.documents d using (document_id) join serve.document_dates t using (document_id)
where m.entity_id = %(entity_id)s
    and (%(after)s::date is null or t.date >= %(after)s)
    and (%(before)s::date is null or t.date <= %(before)s)
    and (%(after_id)s::bigint is null
        or (coalesce(t.date, 'infinity'), m.document_id)
            > (coalesce(%(after_date)s::date, 'infinity'), %(after_id)s::bigint))
order by coalesce(t.date, 'infinity'), m.document_id
limit %(limit)s;

-- name: document
-- One document of the ledger, or no row; of its files only the earliest mtime, the size and how many there are.
select d.document_id, d.sha256, d.stage, d.error_class, d.attempts, d.title, d.pages, d.chars, d.pages_awaiting_ocr,
    d.chunks_failed, d.reader, t.date, t.date_source, coalesce(f.size_bytes, p.size_bytes) as size_bytes, f.mtime_ns,
    coalesce(f.exts, p.exts) as exts, f.files, p.held_by, p.holders,
    coalesce(cardinality(o.ocr_pages), 0) as ocr_pages, coalesce(cardinality(o.ocr_doubtful), 0) as ocr_doubtful,
    o.ocr_confidence, coalesce(o.ocr_failed, 0) as ocr_failed,
    (select count(*) from serve.document_parts i where i.parent_id = d.document_id) as parts,
    (select count(*) from serve.all_mentions m where m.document_id = d.document_id) as entities,
    (select count(*) from serve.chunks c where c.document_id = d.document_id) as chunks
from serve.documents d join serve.document_dates t using (document_id)
left join serve.recognised_documents o using (document_id)
left join lateral (
    select min(size_bytes) as size_bytes, min(mtime_ns) as mtime_ns, count(*) as files,
        array_agg(distinct ext order by ext) as exts
    from serve.files where sha256 = d.sha256 and outcome = 'admitted' and missing_since is null
) f on true
cross join lateral (
    select min(size_bytes) as size_bytes, array_agg(distinct ext order by ext) as exts, count(*) as holders,
        (jsonb_agg(jsonb_build_object('document_id', parent_id, 'name', name) order by parent_id, ordinal)
            filter (where place <= %(holders)s)) as held_by
    from (
        select parent_id, ordinal, name, ext, size_bytes, row_number() over (order by parent_id, ordinal) as place
        from serve.document_parts where child_id = d.document_id
    ) held
) p
where d.document_id = %(document_id)s;

-- name: parts
-- A page of the documents inside of a document, in order.
select p.child_id as document_id, p.name, p.ext, p.rule, d.stage, d.error_class
from serve.document_parts p left join serve.documents d on d.document_id = p.child_id
where p.parent_id = %(document_id)s
order by p.ordinal
limit %(limit)s;

-- name: documents_by_hash
-- The ids of the documents whose sha256 begins like this; two rows say that it is ambiguous.
select document_id from serve.documents
where sha256 collate "C" >= %(prefix)s and sha256 collate "C" < %(prefix)s || 'g'
order by sha256 collate "C" limit 2;

-- name: document_entities
-- A page of the entities in one document, those with the most mentions first, and those last that it only quotes.
select e.entity_id, e.type, e.name, e.is_owner, m.role, m.count, m.quoted
from serve.all_mentions m join serve.entities e using (entity_id)
where m.document_id = %(document_id)s
    and (%(after_id)s::bigint is null
        or (-m.count, e.entity_id) > (-%(after_count)s::bigint, %(after_id)s::bigint))
order by -m.count, e.entity_id
limit %(limit)s;

-- name: places
-- Where documents stand in the archives now: document_id, archive, path; and of those that are parts of others (some of
-- these are enough), holder_id and the name they have there, with a file that it is in. For the owner's eyes.
with recursive way (document_id, holder_id, name, at_id, depth) as (
    select p.child_id, p.parent_id, p.name, p.parent_id, 1
    from unnest(%(document_ids)s::bigint[]) as wanted (document_id)
    cross join lateral (
        select child_id, parent_id, name from serve.document_parts
        where child_id = wanted.document_id order by parent_id, ordinal limit %(ways)s
    ) p
    union
    select w.document_id, w.holder_id, w.name, p.parent_id, w.depth + 1
    from way w
    cross join lateral (
        select distinct parent_id from serve.document_parts where child_id = w.at_id order by parent_id limit %(ways)s
    ) p
    where w.depth < 5
), place as (
    select d.document_id, null::bigint as holder_id, null::text as name, a.archive_id, a.name as archive,
        f.display_path as path, f.file_id
    from serve.documents d join serve.files f on f.sha256 = d.sha256 join serve.archives a using (archive_id)
    where d.document_id = any(%(document_ids)s::bigint[]) and f.outcome = 'admitted' and f.missing_since is null
    union all
    (
        select distinct on (w.document_id, w.holder_id, w.name) w.document_id, w.holder_id, w.name, a.archive_id,
            a.name, f.display_path, f.file_id
        from way w
        join serve.documents d on d.document_id = w.at_id
        join serve.files f on f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
        join serve.archives a using (archive_id)
        order by w.document_id, w.holder_id, w.name, w.depth, a.archive_id, f.file_id
    )
)
select document_id, holder_id, name, archive, path from place
order by document_id, holder_id nulls first, archive_id, path collate "C", file_id, name collate "C";

-- name: failures
-- Every file that is there and did not come in whole, with its document's stage and class; and every part of one that
-- is there, with its name and the document that holds it. For the owner's eyes.
with recursive found as (
    select p.parent_id, p.ordinal, p.name, p.rule, d.sha256, d.stage, d.error_class
    from serve.document_parts p left join serve.documents d on d.document_id = p.child_id
    where p.rule is not null or d.error_class is not null or d.stage in ('failed', 'skipped', 'ocr_pending')
), way (parent_id, at_id, depth) as (
    select distinct parent_id, parent_id, 0 from found
    union
    select w.parent_id, p.parent_id, w.depth + 1
    from way w join serve.document_parts p on p.child_id = w.at_id
    where w.depth < 5
), place as (
    select distinct on (w.parent_id) w.parent_id, a.archive_id, a.name as archive, f.display_path, f.file_id
    from way w
    join serve.documents d on d.document_id = w.at_id
    join serve.files f on f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
    join serve.archives a using (archive_id)
    order by w.parent_id, w.depth, a.archive_id, f.file_id
), failure as (
    select a.archive_id, a.name as archive, f.display_path as path, f.file_id, null::bigint as part_of, 0 as ordinal,
        null::text as part, f.outcome, f.rule, d.sha256, d.stage, d.error_class
    from serve.files f join serve.archives a using (archive_id)
    left join serve.documents d on d.sha256 = f.sha256 and f.outcome = 'admitted'
    where f.missing_since is null and (
        f.outcome <> 'admitted' or d.error_class is not null or d.stage in ('failed', 'skipped', 'ocr_pending'))
    union all
    select p.archive_id, p.archive, p.display_path, p.file_id, found.parent_id, found.ordinal, found.name,
        case when found.rule is null then 'admitted' else 'excluded' end, found.rule, found.sha256, found.stage,
        found.error_class
    from found join place p using (parent_id)
)
select archive, path, part_of, part, outcome, rule, sha256, stage, error_class from failure
order by archive_id, path collate "C", file_id, part_of nulls first, ordinal;
