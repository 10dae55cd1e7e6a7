-- What reading and mining would have made of the documents of generate_documents.sql: of a hundred, 90 are in the
-- graph, each with four sentences of the same shape, and ten came to another end. Takes the active generation.

create function pg_temp.name(kind text, n integer) returns text language sql immutable as
$$ select kind || ' ' || initcap(translate(to_char(n, 'FM00000'), '0123456789', 'abdefgiklo')) $$;

create temporary table said as
select d.document_id, m.sha256, s as place,
    (m.n * 7 + s * 13) % people as a, (m.n * 7 + s * 13 + 1 + m.n % 97) % people as b, (m.n + s) % people as c
from made m
join documents d using (sha256)
cross join generate_series(0, 3) as s
cross join (select greatest(200, least(99999, count(*) * 4))::integer as people from made) as p
where m.lot < 90;

insert into chunks
    (document_id, ordinal, start_offset, end_offset, first_page, last_page, text, content_sha256)
select document_id, 0, 0, length(text), 1, 1, text, encode(sha256(text::bytea), 'hex')
from (
    select document_id, string_agg(
        pg_temp.name('Ann', a) || ' wrote to ' || pg_temp.name('Ann', b) || ' at ' || pg_temp.name('Firm', c) || e'.\n', ''
        order by place
    ) as text
    from said group by document_id
) as texts;

create temporary table named as
select s.document_id, s.place, e.type, e.name, e.part, 44 * s.place + e.start as start, length(e.name) as long
from said s
cross join lateral (values
    ('Person', pg_temp.name('Ann', s.a), 0, 0),
    ('Person', pg_temp.name('Ann', s.b), 1, 19),
    ('Organization', pg_temp.name('Firm', s.c), 2, 32)
) as e (type, name, part, start);

insert into chunk_extractions (content_sha256, extractor_id, outcome, entities, relations)
select c.content_sha256, g.extractor_id, 'done', x.entities, x.relations
from chunks c
join (
    select document_id,
        jsonb_agg(jsonb_build_object('type', type, 'name', name, 'start', start, 'end', start + long, 'role', 'mentioned')
            order by place, part) as entities,
        (select jsonb_agg(jsonb_build_object('subject', 3 * i, 'predicate', 'wrote to', 'object', 3 * i + 1,
            'start', 44 * i, 'end', 44 * i + 43)) from generate_series(0, 3) as i) as relations
    from named group by document_id
) as x using (document_id)
cross join generations g
where g.state = 'active'
on conflict do nothing;

insert into entities (generation, type, key, name)
select distinct on (n.type, lower(n.name)) g.generation, n.type, lower(n.name), n.name
from named n cross join generations g where g.state = 'active'
order by n.type, lower(n.name);

create temporary table held as
select e.generation, n.document_id, e.entity_id, n.place, n.part, n.start, n.long, n.name
from named n
join entities e on e.type = n.type and e.key = lower(n.name);

insert into mentions (generation, document_id, entity_id, role, count)
select generation, document_id, entity_id, 'mentioned', count(*) from held
group by generation, document_id, entity_id order by document_id, entity_id;

insert into mention_spans
    (generation, document_id, entity_id, start_offset, end_offset, form, page, chunk_ordinal)
select generation, document_id, entity_id, start, start + long, name, 1, 0 from held order by document_id, start;

insert into relations (generation, subject_id, predicate_raw, predicate, object_id, document_id, chunk_ordinal, page,
    start_offset, end_offset, confidence)
select a.generation, a.entity_id, 'wrote to', 'wrote_to', b.entity_id, a.document_id, 0, 1,
    44 * a.place, 44 * a.place + 43, 1
from held a join held b using (document_id, place)
where a.part = 0 and b.part = 1
order by a.document_id, a.place;

insert into contributions (generation, document_id, digest)
select generation, document_id, encode(sha256(document_id::text::bytea), 'hex') from held
group by generation, document_id order by document_id;

update documents d
set stage = case when lot < 90 then 'graphed' when lot < 95 then 'failed' when lot < 98 then 'skipped' else 'ocr_pending' end,
    error_class = case when lot < 90 then null when lot < 93 then 'Corrupt' when lot < 95 then 'Encrypted'
        when lot < 98 then 'Tabular' else 'Scanned' end,
    attempts = case when lot < 90 then 0 else 1 end,
    reader = current_setting('bench.reader'), reader_version = current_setting('bench.reader_version')::integer, pages = 1, chars = 176, characters_removed = 0,
    pages_awaiting_ocr = case when lot < 98 then 0 else 1 end,
    extracted_at = case when lot < 90 then now() end, graphed_at = case when lot < 90 then now() end,
    failed_at = case when lot between 90 and 94 then now() end, skipped_at = case when lot between 95 and 97 then now() end,
    ocr_pending_at = case when lot > 97 then now() end
from made m where m.sha256 = d.sha256;

