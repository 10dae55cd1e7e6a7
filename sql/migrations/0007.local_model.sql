-- The local model: recipes that ask one, what it answered, what that cost, and who has the graphics card.

-- A recipe of kind model is its name, the version of the code that derives extractions from replies, and its request:
-- the template of what is sent with each text. It keeps the request it began with; another request is another recipe.
alter table extractors
    add column kind text not null default 'rules' check (kind in ('rules', 'model')),
    add column model text,
    add column request jsonb,
    add column request_hash text not null default '', -- sha256 of the request; empty for rules
    add column unmeasured_at timestamptz, -- when the owner first had it drain the archive without a bake-off
    drop constraint extractors_name_version_key,
    add constraint extractors_one_of_each unique (name, version, request_hash),
    add constraint extractors_model_asks check ((kind = 'model') = (request is not null));

-- What a model answered, stored before anything is made of it. Bytes: a model may say what no text column holds.
create table model_replies (
    request_hash text primary key check (request_hash ~ '^[0-9a-f]{64}$'), -- of the exact request
    content_sha256 text not null, -- of the chunk that was asked about, whole or in part
    model text not null,
    reply bytea not null, -- UTF-8, lone surrogates as they came
    reasoning bytea, -- of a field beside the answer, where there was one
    finish_reason text, -- stop, length, ...; `context`: the server found the request too long, and answered nothing
    prompt_tokens integer,
    completion_tokens integer,
    milliseconds integer not null,
    attempts integer not null check (attempts > 0),
    asked_at timestamptz not null default clock_timestamp()
);
create index model_replies_by_content on model_replies (content_sha256);

-- Every request that was made, answered or not: what a document, a recipe and a day cost.
create table model_calls (
    call_id bigint generated always as identity primary key,
    recipe text not null,
    document_id bigint references documents on delete set null,
    request_hash text not null,
    outcome text not null, -- `reply`, or the class of what went wrong
    prompt_tokens integer,
    completion_tokens integer,
    milliseconds integer not null, -- of all attempts, without the pauses between them
    attempts integer not null check (attempts > 0),
    called_at timestamptz not null default clock_timestamp()
);
create index model_calls_by_document on model_calls (document_id) where document_id is not null;
create index model_calls_by_day on model_calls (recipe, called_at);

-- `split`: the text was asked about in parts, and some part could not be done; what the others gave is here.
alter table chunk_extractions
    drop constraint chunk_extractions_outcome_check,
    add constraint chunk_extractions_outcome_check check (outcome in ('done', 'failed', 'split')),
    add column pieces integer not null default 1, -- the parts that it was asked about in
    add column dropped jsonb not null default '[]', -- [{"kind","why","item"}]: what the model said and is not believed
    add column ungrounded integer not null default 0, -- of them: names that stand nowhere in the text
    add column malformed integer not null default 0, -- of them: items that are no entity and no relation
    add column faulty text[] not null default '{}'; -- request hashes of the replies that could not be used

-- What a preset's server does with a response format: probed once, and remembered.
create table model_presets (
    preset text not null,
    model text not null,
    server text not null,
    answer_format text not null check (answer_format in ('json_schema', 'none')),
    finding text not null check (finding in ('enforced', 'ignored', 'silent')),
    probed_at timestamptz not null default now(),
    primary key (preset, model, server)
);

-- Who may use a preset of the graphics card. A lease is free when it has no owner, when it has expired, or when the
-- session that holds its advisory lock is gone. The token rises with each owner: whoever has a lower one lost it.
create table gpu_leases (
    preset text primary key,
    owner_tag text, -- who: program, host, process; null while it is free
    token bigint not null default 0,
    lock_number integer, -- of the advisory lock that its owner's session holds
    acquired_at timestamptz,
    renewed_at timestamptz,
    expires_at timestamptz,
    check ((owner_tag is null) = (lock_number is null) and (owner_tag is null) = (expires_at is null))
);

-- Relations that a predicate's signature does not allow, such as a place that works for a date: apart, and counted.
create table refused_relations (
    refused_id bigint generated always as identity primary key,
    generation integer not null references generations on delete cascade,
    document_id bigint not null references documents on delete cascade,
    subject_id bigint not null references entities on delete cascade,
    predicate_raw text not null,
    predicate text not null,
    object_id bigint not null references entities on delete cascade,
    chunk_ordinal integer not null,
    page integer not null,
    start_offset integer not null,
    end_offset integer not null
);
create index refused_relations_by_document on refused_relations (generation, document_id);
create index refused_relations_by_subject on refused_relations (subject_id);
create index refused_relations_by_object on refused_relations (object_id);

create view serve.refused_relations as
    select r.document_id, r.subject_id, r.predicate_raw, r.predicate, r.object_id, r.page, r.start_offset, r.end_offset
    from refused_relations r join serve.generation using (generation);

create view serve.model_calls as
    select document_id, recipe, outcome, prompt_tokens, completion_tokens, milliseconds, attempts, called_at
    from model_calls;

create view serve.faults as
    select c.document_id, x.outcome, x.error_class
    from chunks c
    join chunk_extractions x using (content_sha256)
    join generations g on g.extractor_id = x.extractor_id and g.state = 'active'
    where x.outcome <> 'done';

-- Bake-offs: which recipes were measured, on which documents, and what came of it.
create table bakeoffs (
    bakeoff_id bigint generated always as identity primary key,
    ran_at timestamptz not null default now(),
    recipes text[] not null, -- NAME@REQUEST_HASH of each recipe that was measured
    report jsonb not null,
    markdown text not null
);

-- The documents of which some admitted file lies in none of these folders (each ends with a slash), and what is inside
-- of them: what a hosted endpoint may not see, where these are the folders whose documents it may.
create function outside(folders bytea[]) returns setof bigint language sql stable
begin atomic
    with recursive outside (document_id) as (
        select d.document_id
        from documents d
        join files f on f.sha256 = d.sha256 and f.outcome = 'admitted' and f.missing_since is null
        join archives a using (archive_id)
        where not exists (
            select from unnest(folders) as folder
            where substring(rtrim(a.root, '/'::bytea) || '/'::bytea || f.path from 1 for length(folder)) = folder
        )
        union
        select p.child_id from outside o join document_parts p on p.parent_id = o.document_id
        where p.child_id is not null
    )
    select document_id from outside;
end;
