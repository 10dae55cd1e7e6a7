-- Documents whose text is ready, a chunk each; no file of them exists. texts: one a document.
with made as materialized (
    insert into documents (sha256, stage, extracted_at, reader, reader_version, pages, chars)
    select encode(sha256(('bench ' || n)::bytea), 'hex'), 'extracted', now(), 'txt', 1, 1, length(t.text)
    from unnest(%(texts)s::text[]) with ordinality as t (text, n)
    order by n
    returning document_id, sha256
), numbered as (
    select document_id, row_number() over (order by document_id) as n from made
)
insert into chunks (document_id, ordinal, start_offset, end_offset, first_page, last_page, text, content_sha256)
select m.document_id, 0, 0, length(t.text), 1, 1, t.text, encode(sha256(t.text::bytea), 'hex')
from numbered m join unnest(%(texts)s::text[]) with ordinality as t (text, n) using (n);
