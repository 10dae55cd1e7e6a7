-- Pages that are pictures: what was recognised on them, a page at a time, and what a document has of it.

-- A page as one engine read it once. Of several rows of a page the latest that has a text is the document's;
-- the others are kept.
create table recognised_pages (
    document_id bigint not null references documents on delete cascade,
    page integer not null check (page > 0),
    engine text not null,
    engine_version text not null,
    languages text not null, -- as the engine calls them; empty where it did not come to that
    text text, -- not normalised; empty: there is nothing to read on it; null: it failed
    words integer not null default 0,
    confidence real check (confidence between 0 and 100), -- mean of the words; null where there are none
    error text, -- what failed: a class and a detail of ours, never a word of the page
    milliseconds integer not null,
    recognised_at timestamptz not null default clock_timestamp(),
    primary key (document_id, page, engine, engine_version, languages),
    check ((text is null) = (error is not null))
);

alter table documents
    add column ocr_pages integer[] not null default '{}', -- the pages whose words were recognised
    add column ocr_doubtful integer[] not null default '{}', -- those of them with little confidence
    add column ocr_confidence real, -- mean of all recognised words, of 100
    add column ocr_failed integer not null default 0; -- of the pages that wait: those that wait for nothing any more

create index documents_awaiting_ocr on documents (document_id)
    where pages_awaiting_ocr > ocr_failed and stage in ('ocr_pending', 'extracted', 'graphed');

create view serve.recognised_documents as
    select document_id, ocr_pages, ocr_doubtful, ocr_confidence, ocr_failed
    from documents where ocr_pages <> '{}' or ocr_failed > 0;
