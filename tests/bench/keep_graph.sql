-- The rows of a generation, under other ids, in tables of their own.

create table kept_entities as select entity_id + 1000000000 as entity_id, type, key, name, is_owner from entities
    where generation = %(generation)s order by entity_id;

create table kept_mentions as select document_id, entity_id + 1000000000 as entity_id, role, count, quoted
    from mentions where generation = %(generation)s order by document_id, entity_id;

create table kept_spans as select document_id, entity_id + 1000000000 as entity_id, start_offset, end_offset, form,
    page, chunk_ordinal, quoted from mention_spans where generation = %(generation)s order by document_id, entity_id, start_offset;

create table kept_relations as select document_id, subject_id + 1000000000 as subject_id, predicate_raw, predicate,
    object_id + 1000000000 as object_id, chunk_ordinal, page, start_offset, end_offset, confidence, quoted
    from relations where generation = %(generation)s order by document_id, relation_id;

create table kept_refused as select document_id, subject_id + 1000000000 as subject_id, predicate_raw, predicate,
    object_id + 1000000000 as object_id, chunk_ordinal, page, start_offset, end_offset
    from refused_relations where generation = %(generation)s order by document_id, refused_id;

create table kept_contributions as select document_id, digest from contributions
    where generation = %(generation)s order by document_id;
