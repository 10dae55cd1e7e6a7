-- What a recipe found in a text, kept by the text's sha256, so that no text is extracted twice.

-- name: store_extractions
-- Writes what became of texts, in the given order (sorted: two writers never wait for each other in a ring).
-- A failure is written over; what is done stays, unless it was asked for again and done again.
insert into chunk_extractions (content_sha256, extractor_id, outcome, error_class, entities, relations)
select u.content_sha256, %(extractor_id)s, u.outcome, u.error_class, u.entities, u.relations
from unnest(%(hashes)s::text[], %(outcomes)s::text[], %(error_classes)s::text[], %(entities)s::jsonb[],
    %(relations)s::jsonb[]) with ordinality
    as u (content_sha256, outcome, error_class, entities, relations, place)
order by u.place
on conflict (content_sha256, extractor_id) do update
set outcome = excluded.outcome, error_class = excluded.error_class, entities = excluded.entities,
    relations = excluded.relations, extracted_at = now()
where chunk_extractions.outcome = 'failed' or (%(again)s and excluded.outcome = 'done');

-- name: store_resolved
-- Writes what a model said of a text, with what is not believed of it. As for store_extractions: only what is done is
-- not written over by less.
insert into chunk_extractions (content_sha256, extractor_id, outcome, error_class, entities, relations, pieces, dropped,
    ungrounded, malformed, faulty)
values (%(content_sha256)s, %(extractor_id)s, %(outcome)s, %(error_class)s, %(entities)s, %(relations)s, %(pieces)s,
    %(dropped)s, %(ungrounded)s, %(malformed)s, %(faulty)s)
on conflict (content_sha256, extractor_id) do update
set outcome = excluded.outcome, error_class = excluded.error_class, entities = excluded.entities,
    relations = excluded.relations, pieces = excluded.pieces, dropped = excluded.dropped,
    ungrounded = excluded.ungrounded, malformed = excluded.malformed, faulty = excluded.faulty, extracted_at = now()
where chunk_extractions.outcome <> 'done' or (%(again)s and excluded.outcome = 'done');
