-- What `mnemo doctor` looks at. Counts, ids and classes; no path but the archives' roots, which it opens.

-- name: served_recipe
-- Returns the recipe of the graph that is served, or no row before the first sync.
select e.name as recipe from generations g join extractors e using (extractor_id) where g.state = 'active';

-- name: outages
-- Returns each archive that its last scan could not see whole, with why.
select archive_id, outage from archives where outage is not null;

-- name: extensions_there
-- Returns the extensions that mnemo uses, with their versions.
select extname as name, extversion as version from pg_extension
where extname in ('pg_trgm', 'unaccent') order by extname;

-- name: reader_bounds
-- Returns, for the session's user: whether it is bounded in time and in temporary files, and whether it may take
-- locks for which writers wait.
select
    current_setting('transaction_timeout') <> '0' and current_setting('statement_timeout') <> '0' as in_time,
    current_setting('temp_file_limit') <> '-1' as in_files,
    not has_function_privilege('pg_advisory_lock(bigint)', 'execute') as in_locks;

-- name: answer_formats
-- Returns what was found of a model's servers when a response format was tried: finding, each once.
select distinct finding from model_presets where model = %(model)s order by finding;

-- name: untold
-- Returns how many documents were never told to Dagster, or have moved on since.
select count(*) as documents from documents
where reported_at is null or reported_stage is distinct from stage or reported_class is distinct from error_class
    or reported_at < greatest(new_at, extracted_at, graphed_at, failed_at, skipped_at, ocr_pending_at);

-- name: has_dagsters_tables
-- Returns, in Dagster's own database, whether its tables are there.
select to_regclass('public.runs') is not null and to_regclass('public.event_logs') is not null as found;
