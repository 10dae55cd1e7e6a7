-- The bare way: the rows that were kept, into the tables of the graph, with all their indexes and checks.

insert into entities (generation, entity_id, type, key, name, is_owner) overriding system value
    select %(generation)s, * from kept_entities;

insert into mentions (generation, document_id, entity_id, role, count, quoted)
    select %(generation)s, * from kept_mentions;

insert into mention_spans (generation, document_id, entity_id, start_offset, end_offset, form, page, chunk_ordinal, quoted)
    select %(generation)s, * from kept_spans;

insert into relations (generation, document_id, subject_id, predicate_raw, predicate, object_id, chunk_ordinal, page,
    start_offset, end_offset, confidence, quoted) select %(generation)s, * from kept_relations;

insert into refused_relations (generation, document_id, subject_id, predicate_raw, predicate, object_id, chunk_ordinal,
    page, start_offset, end_offset) select %(generation)s, * from kept_refused;

insert into contributions (generation, document_id, digest) select %(generation)s, * from kept_contributions;
