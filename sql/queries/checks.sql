-- What must be so in the ledger and in the graph that is served; each query counts what is not.
-- only: these sha256s, or null for all.

-- name: quotes
-- One row: the mentions and the relations looked at, and those whose words do not stand where they are said to. A
-- relation's quote is what stands at its place, so that it can only be out of the text.
with document as materialized (
    select document_id from documents where %(only)s::text[] is null or sha256 = any(%(only)s::text[])
)
select
    (
        select count(*) from serve.mention_spans join document using (document_id)
    ) as mentions,
    (
        select count(*) from serve.mention_spans s
        join document using (document_id)
        left join chunks c on c.document_id = s.document_id and c.ordinal = s.chunk_ordinal
        where c.text is null or s.start_offset < c.start_offset or s.end_offset > c.end_offset
            or substr(c.text, s.start_offset - c.start_offset + 1, s.end_offset - s.start_offset) <> s.form
    ) as mentions_not_verbatim,
    (
        select count(*) from serve.relations join document using (document_id)
    ) as relations,
    (
        select count(*) from serve.relations r
        join document using (document_id)
        left join chunks c on c.document_id = r.document_id and c.ordinal = r.chunk_ordinal
        where c.text is null or r.start_offset < c.start_offset or r.end_offset > c.end_offset
            or btrim(substr(c.text, r.start_offset - c.start_offset + 1, r.end_offset - r.start_offset)) = ''
    ) as relations_not_verbatim;

-- name: orphans
-- One row: rows that hang from nothing, by what they are. What waits for the end of a mining run is left out.
select
    (
        select count(*) from serve.all_mentions m
        where not exists (
            select from serve.contributions k where k.document_id = m.document_id
        )
    ) as mentions_of_no_contribution,
    (
        select count(*) from serve.all_mentions m
        where (m.count, m.quoted) <> (
            select count(*) filter (where not s.quoted), count(*) filter (where s.quoted)
            from serve.mention_spans s
            where s.document_id = m.document_id and s.entity_id = m.entity_id
        )
    ) as mentions_with_other_spans,
    (
        select count(*) from serve.relations r
        where not exists (select from serve.contributions k where k.document_id = r.document_id)
    ) as relations_of_no_contribution,
    (
        select count(*) from serve.relations r
        cross join lateral unnest(array[r.subject_id, r.object_id]) as side (entity_id)
        where not exists (
            select from serve.all_mentions m
            where m.document_id = r.document_id and m.entity_id = side.entity_id
        )
    ) as relations_of_the_unmentioned,
    (
        select count(*) from entities e join serve.generation using (generation)
        where not e.is_owner and not e.name_stale
            and not exists (select from mentions m where m.entity_id = e.entity_id)
    ) as entities_of_no_document,
    (
        select count(*) from files f
        where f.outcome = 'admitted' and f.sha256 is not null and f.missing_since is null
            and not exists (select from documents d where d.sha256 = f.sha256)
    ) as files_of_no_document,
    (
        select count(*) from document_parts p join documents d on d.document_id = p.child_id
        where d.sha256 <> p.sha256
    ) as parts_of_another_document;

-- name: disagreements
-- Documents, by id, of which the ledger and the graph or the chunks say different things: what, sha256.
with text_is_there as (
    select document_id, sha256, stage from documents
    where stage in ('extracted', 'graphed') or (stage = 'failed' and error_class = 'ExtractionFailed')
)
select 'graphed_not_in_graph' as what, d.sha256 from documents d
where d.stage = 'graphed' and not exists (
    select from serve.contributions k where k.document_id = d.document_id
)
union all
select 'in_graph_not_graphed', d.sha256 from serve.contributions k join documents d using (document_id)
where d.stage in ('failed', 'skipped', 'ocr_pending')
union all
select 'text_without_chunks', t.sha256 from text_is_there t
where not exists (select from chunks c where c.document_id = t.document_id)
union all
select 'chunks_without_text', d.sha256 from documents d
where d.stage in ('failed', 'skipped', 'ocr_pending')
    and not exists (select from text_is_there t where t.document_id = d.document_id)
    and exists (select from chunks c where c.document_id = d.document_id)
union all
select 'graphed_not_extracted', d.sha256 from documents d
where d.stage = 'graphed' and exists (
    select from chunks c
    where c.document_id = d.document_id and not exists (
        select from chunk_extractions x
        join generations g on g.extractor_id = x.extractor_id and g.state = 'active'
        where x.content_sha256 = c.content_sha256
    )
)
order by 1, 2;

-- name: texts
-- The documents that have a text, with the reader whose text it is; and all others, without.
-- Where the parts are to be judged again the text is there, and its version is not told.
select sha256,
    case when (stage in ('extracted', 'graphed') or error_class = 'ExtractionFailed') and reader_version <> 0
        then reader end as reader,
    case when stage in ('extracted', 'graphed') or error_class = 'ExtractionFailed' then reader_version end
        as reader_version
from documents;

-- name: classes
-- Documents by error class, and how many there are: error_class (null for the total), n.
select error_class, count(*) as n from documents where error_class is not null group by error_class
union all
select null, count(*) from documents;

-- name: empty_extractions
-- Of the recipe of the graph that is served, if it asks a model: texts, empty (of them), ungrounded and malformed items.
select count(*) as texts, count(*) filter (where x.entities = '[]') as empty,
    coalesce(sum(x.ungrounded), 0) as ungrounded, coalesce(sum(x.malformed), 0) as malformed
from chunk_extractions x
join generations g on g.extractor_id = x.extractor_id and g.state = 'active'
join extractors e on e.extractor_id = x.extractor_id and e.kind = 'model'
where x.outcome = 'done';
