-- Documents inside of documents, such as a mail's attachments; and what a mail quotes of an earlier one.

-- A part of a document. Its bytes are taken from its parent again, and its content has one document, whatever else
-- holds it.
create table document_parts (
    parent_id bigint not null references documents on delete cascade,
    path text not null, -- which part it is, for the parent's reader
    ordinal integer not null, -- its place among the parent's parts
    name text not null, -- its file name as it is given there; may be empty
    ext text not null,
    size_bytes bigint not null,
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    rule text, -- what keeps it out: a rule for names or contents, part:cycle or part:too-deep
    rules_version integer not null, -- of the rules that judged it
    child_id bigint references documents, -- the document of its content, where no rule keeps it out
    primary key (parent_id, path),
    check ((rule is null) = (child_id is not null))
);
create index document_parts_by_child on document_parts (child_id) where child_id is not null;
create index document_parts_by_content on document_parts (sha256);
create index document_parts_too_deep on document_parts (parent_id) where rule = 'part:too-deep';

alter table documents
    add column quoted integer[] not null default '{}'; -- starts and ends, in turn, of what is quoted from an earlier mail

alter table mention_spans
    add column quoted boolean not null default false; -- it lies in what is quoted

alter table mentions
    add column quoted integer not null default 0, -- spans that lie in what is quoted; count is of all others
    drop constraint mentions_count_check,
    add constraint mentions_count_check check (count >= 0 and quoted >= 0 and count + quoted > 0);

alter table relations
    add column quoted boolean not null default false; -- the sentence that proves it lies in what is quoted

create view serve.document_parts as
    select parent_id, path, ordinal, name, ext, size_bytes, rule, child_id from document_parts;

-- What documents mention in words of their own: all that is counted and ranked.
create or replace view serve.mentions as
    select m.document_id, m.entity_id, m.role, m.count
    from mentions m join serve.generation using (generation)
    where m.count > 0;

-- The same with what they do no more than quote: count is 0 there.
create view serve.all_mentions as
    select m.document_id, m.entity_id, m.role, m.count, m.quoted
    from mentions m join serve.generation using (generation);

create or replace view serve.mention_spans as
    select s.document_id, s.entity_id, s.start_offset, s.end_offset, s.form, s.page, s.chunk_ordinal, s.quoted
    from mention_spans s join serve.generation using (generation);

create or replace view serve.relations as
    select r.relation_id, r.subject_id, r.predicate_raw, r.predicate, r.object_id, r.document_id,
        r.chunk_ordinal, r.page, r.start_offset, r.end_offset, r.confidence, r.inferred, r.quoted
    from relations r join serve.generation using (generation);

-- The day a document is dated by, and what says so: its own text, its metadata, the earliest mtime of its files, or
-- the nearest document that it is a part of. That one is looked for only where nothing else dates it.
create or replace view serve.document_dates as
    select d.document_id, coalesce(o.date, i.date) as date,
        coalesce(o.date_source, case when i.date is not null then 'parent' end) as date_source
    from documents d
    cross join lateral (
        select coalesce(d.document_date, (to_timestamp(f.mtime_ns / 1e9) at time zone 'UTC')::date) as date,
            coalesce(d.document_date_source, case when f.mtime_ns is not null then 'mtime' end) as date_source
        from (
            select min(mtime_ns) as mtime_ns from files
            where files.sha256 = d.sha256 and outcome = 'admitted' and missing_since is null
        ) f
    ) o
    cross join lateral (
        select case when o.date is null then (
            with recursive above (document_id, depth) as (
                select p.parent_id, 1 from document_parts p where p.child_id = d.document_id
                union
                select p.parent_id, a.depth + 1
                from above a join document_parts p on p.child_id = a.document_id
                where a.depth < 5
            )
            select dated.date
            from above a
            join documents h on h.document_id = a.document_id
            cross join lateral (
                select coalesce(h.document_date, (
                    select (to_timestamp(min(mtime_ns) / 1e9) at time zone 'UTC')::date from files
                    where files.sha256 = h.sha256 and outcome = 'admitted' and missing_since is null
                )) as date
            ) dated
            where dated.date is not null
            order by a.depth, dated.date
            limit 1
        ) end as date
    ) i;
