-- The ledger (archives, files, documents), the chunks, the extractions and the graph.
-- Tables live in schema mnemo, which the owner role alone sees; the reader role sees the views of schema serve.

create extension if not exists pg_trgm schema public;
create extension if not exists unaccent schema public;

create schema serve;

-- lower case without accents, so that "muller" finds "Müller"
create function serve.fold(value text) returns text language sql immutable strict parallel safe
    return lower(public.unaccent('public.unaccent'::regdictionary, value));

-- A root that is scanned. "Missing" is concluded only within one healthy archive.
create table archives (
    archive_id integer generated always as identity primary key,
    name text not null unique,
    root bytea not null, -- absolute path, as the file system has it
    device numeric(20), -- of the root at the last healthy scan: another one is another disk
    inode numeric(20),
    mounts bytea[] not null default '{}', -- other disks mounted below the root then: each path and a slash
    healthy_at timestamptz, -- end of the last scan that saw the whole archive
    outage text, -- why the last scan could not, null while healthy
    added_at timestamptz not null default now()
);

-- One content. Its stage is the ledger: every step writes its outcome here.
create table documents (
    document_id bigint generated always as identity primary key,
    sha256 text not null unique check (sha256 ~ '^[0-9a-f]{64}$'),
    stage text not null default 'new'
        check (stage in ('new', 'extracted', 'graphed', 'failed', 'skipped', 'ocr_pending')),
    new_at timestamptz not null default now(),
    extracted_at timestamptz, -- its text is ready
    graphed_at timestamptz,
    failed_at timestamptz,
    skipped_at timestamptz,
    ocr_pending_at timestamptz,
    attempts integer not null default 0, -- tries that ended in an outcome since it was last well
    error_class text,
    error text, -- detail for the owner's psql; never leaves the database
    forced boolean not null default false, -- the owner takes it in although a gate says no
    reader text,
    reader_version integer,
    title text,
    document_date date,
    document_date_source text check (document_date_source in ('content', 'metadata')),
    pages integer,
    page_starts integer[] not null default '{0}', -- where each page begins in the normalised text
    chars bigint,
    characters_removed bigint, -- NUL and other characters the normalised text does not hold
    pages_awaiting_ocr integer not null default 0,
    chunks_failed integer not null default 0,
    claimed_by integer, -- the advisory lock its worker holds: lock gone means claimable at once
    claimed_until timestamptz,
    claim_token uuid,
    check ((claimed_by is null) = (claim_token is null))
);
create index documents_claimed on documents (claimed_by) where claimed_by is not null;
create index documents_waiting on documents (stage, document_id) where stage in ('new', 'extracted');

-- A path below a root. Only the admitted extensions have rows.
create table files (
    file_id bigint generated always as identity primary key,
    archive_id integer not null references archives on delete cascade,
    path bytea not null, -- relative to the root, as the file system has it
    display_path text not null, -- the same for people: what is not UTF-8 is escaped
    ext text not null,
    size_bytes bigint,
    mtime_ns bigint,
    sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
    outcome text not null
        check (outcome in ('admitted', 'excluded', 'empty', 'unreadable', 'changing', 'special', 'symlink')),
    rule text, -- the exclusion that fired
    rules_version integer not null, -- of the content rules that judged it
    first_seen_at timestamptz not null default now(),
    last_seen_at timestamptz not null default now(), -- while not missing: the archive's healthy_at
    missing_since timestamptz,
    unique (archive_id, path),
    check ((outcome = 'excluded') = (rule is not null))
);
create index files_by_content on files (sha256) where sha256 is not null;

-- Consecutive pieces of a document's normalised text, with overlap. Offsets are code points.
create table chunks (
    document_id bigint not null references documents on delete cascade,
    ordinal integer not null,
    start_offset integer not null,
    end_offset integer not null,
    first_page integer not null,
    last_page integer not null,
    text text not null,
    content_sha256 text not null, -- of the text: equal pieces are extracted once
    primary key (document_id, ordinal),
    check (end_offset > start_offset),
    check (length(text) = end_offset - start_offset)
);
create index chunks_by_content on chunks (content_sha256);

-- A recipe of extraction, at a version of its code.
create table extractors (
    extractor_id integer generated always as identity primary key,
    name text not null,
    version integer not null,
    unique (name, version)
);

-- A graph. One is served; another may be being built beside it, and those before it are being removed.
create table generations (
    generation integer generated always as identity primary key,
    extractor_id integer not null references extractors,
    derivation integer not null default 1, -- version of the code that makes rows of extractions: graph.merge
    state text not null check (state in ('building', 'active', 'retired')), -- retired: its rows are being removed
    created_at timestamptz not null default now(),
    activated_at timestamptz
);
create unique index generations_one_of_each on generations (state) where state <> 'retired';

-- What a recipe found in a text, whatever document holds it. Offsets are relative to the text.
create table chunk_extractions (
    content_sha256 text not null,
    extractor_id integer not null references extractors on delete cascade,
    outcome text not null check (outcome in ('done', 'failed')),
    error_class text,
    entities jsonb not null default '[]', -- [{"type","name","start","end","role"}]
    relations jsonb not null default '[]', -- [{"subject","predicate","object","start","end"}], indices into entities
    extracted_at timestamptz not null default now(),
    primary key (content_sha256, extractor_id)
);

-- The owner's names, as seeded when the generation was made: an alias is the owner.
create table owner_names (
    generation integer not null references generations on delete cascade,
    key text not null,
    name text not null,
    ordinal integer not null, -- 0 is the name, the rest are aliases
    primary key (generation, key)
);

create table entities (
    generation integer not null references generations on delete cascade,
    entity_id bigint generated always as identity primary key,
    type text not null,
    key text not null, -- graph.names.canonical_key(type, name)
    name text not null, -- the most frequent form, then the longest, then the first in code-point order
    name_stale boolean not null default false, -- its mentions changed since the name was chosen
    is_owner boolean not null default false,
    unique (generation, type, key)
);
create index entities_stale on entities (generation, entity_id) where name_stale;

create index entities_by_name on entities using gin (serve.fold(name) public.gin_trgm_ops);
create index entities_by_key on entities using gin (serve.fold(key) public.gin_trgm_ops);

-- A document that is in the graph, whole: the last row its transaction writes.
create table contributions (
    generation integer not null references generations on delete cascade,
    document_id bigint not null references documents on delete cascade,
    digest text not null, -- sha256 over its sorted mentions and relations
    stored_at timestamptz not null default now(),
    primary key (generation, document_id)
);

create table mentions (
    generation integer not null,
    document_id bigint not null references documents on delete cascade,
    entity_id bigint not null references entities on delete cascade,
    role text not null, -- mentioned, author, recipient
    count integer not null check (count > 0), -- of its spans
    primary key (generation, document_id, entity_id)
);
create index mentions_by_entity on mentions (entity_id, document_id) include (count);

create table mention_spans (
    generation integer not null,
    document_id bigint not null,
    entity_id bigint not null,
    start_offset integer not null,
    end_offset integer not null, -- text[start:end] is the form, always
    form text not null,
    page integer not null,
    chunk_ordinal integer not null,
    primary key (generation, document_id, entity_id, start_offset, end_offset),
    foreign key (generation, document_id, entity_id) references mentions on delete cascade,
    check (length(form) = end_offset - start_offset)
);
create index mention_spans_by_entity on mention_spans (entity_id, document_id, start_offset);

create table relations (
    relation_id bigint generated always as identity primary key,
    generation integer not null references generations on delete cascade,
    subject_id bigint not null references entities on delete cascade,
    predicate_raw text not null, -- the words that say it
    predicate text, -- the canonical predicate, null where there is none
    object_id bigint not null references entities on delete cascade,
    document_id bigint not null references documents on delete cascade,
    chunk_ordinal integer not null,
    page integer not null,
    start_offset integer not null,
    end_offset integer not null, -- text[start:end] is the sentence that proves it
    confidence real not null check (confidence between 0 and 1),
    inferred boolean not null default false,
    unique nulls not distinct
        (generation, document_id, subject_id, predicate_raw, object_id, start_offset, end_offset),
    check (subject_id <> object_id)
);
create index relations_by_subject on relations (subject_id);
create index relations_by_object on relations (object_id);

-- What the reader role sees: the active graph, and the ledger without error details and claims.
create view serve.archives as select archive_id, name, root, healthy_at, outage from archives;

create view serve.files as
    select file_id, archive_id, display_path, ext, size_bytes, mtime_ns, sha256, outcome, rule,
        first_seen_at, missing_since
    from files;

create view serve.documents as
    select document_id, sha256, stage, new_at, extracted_at, graphed_at, failed_at, skipped_at, ocr_pending_at,
        attempts, error_class, reader, title, document_date, document_date_source, pages, chars,
        pages_awaiting_ocr, chunks_failed
    from documents;

create view serve.chunks as
    select document_id, ordinal, start_offset, end_offset, first_page, last_page, text from chunks;

create view serve.generation as
    select g.generation, x.name as extractor, x.version as extractor_version, g.activated_at
    from generations g join extractors x using (extractor_id)
    where g.state = 'active';

create view serve.owner_names as
    select o.key, o.name, o.ordinal from owner_names o join serve.generation using (generation);

create view serve.entities as
    select e.entity_id, e.type, e.key, e.name, e.is_owner from entities e join serve.generation using (generation);

create view serve.contributions as
    select c.document_id, c.digest from contributions c join serve.generation using (generation);

create view serve.mentions as
    select m.document_id, m.entity_id, m.role, m.count from mentions m join serve.generation using (generation);

create view serve.mention_spans as
    select s.document_id, s.entity_id, s.start_offset, s.end_offset, s.form, s.page, s.chunk_ordinal
    from mention_spans s join serve.generation using (generation);

create view serve.relations as
    select r.relation_id, r.subject_id, r.predicate_raw, r.predicate, r.object_id, r.document_id,
        r.chunk_ordinal, r.page, r.start_offset, r.end_offset, r.confidence, r.inferred
    from relations r join serve.generation using (generation);

-- The day a document is dated by, and what says so: its own text, its metadata, or the earliest mtime of its files.
create view serve.document_dates as
    select d.document_id,
        coalesce(d.document_date, (to_timestamp(f.mtime_ns / 1e9) at time zone 'UTC')::date) as date,
        coalesce(d.document_date_source, case when f.mtime_ns is not null then 'mtime' end) as date_source
    from documents d
    left join lateral (
        select min(mtime_ns) as mtime_ns from files
        where files.sha256 = d.sha256 and outcome = 'admitted' and missing_since is null
    ) f on true;
