-- Roles, databases and migrations. What stands here before lock_migrations is run on a database that lacks a
-- migration: a change of the roles comes with one.

-- name: lock_cluster
-- Waits for the cluster's other makers; released with the connection.
select pg_advisory_lock(7306086967);

-- name: create_roles
-- Makes the two roles of the embedded server, or brings them to this version's settings. Run by mnemo_admin.
do $$
begin
    if not exists (select from pg_roles where rolname = 'mnemo_owner') then
        create role mnemo_owner;
    end if;
    if not exists (select from pg_roles where rolname = 'mnemo_reader') then
        create role mnemo_reader;
    end if;
end
$$;
alter role mnemo_owner with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls;
alter role mnemo_owner set search_path = mnemo, public;
alter role mnemo_reader with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls;

-- name: limit_reader
-- Bounds what the reader's role can take. On a server of the owner's the role is the one that mnemo.reader names,
-- and what only a superuser may bound is left as it is.
do $$
declare
    reader text := coalesce(nullif(current_setting('mnemo.reader', true), ''), 'mnemo_reader');
begin
    execute format('alter role %I with connection limit 20', reader);
    execute format('alter role %I set search_path = serve, public', reader);
    execute format('alter role %I set default_transaction_read_only = on', reader);
    execute format('alter role %I set statement_timeout = %L', reader, '30s');
    execute format('alter role %I set transaction_timeout = %L', reader, '60s');
    execute format('alter role %I set idle_in_transaction_session_timeout = %L', reader, '30s');
    execute format('alter role %I set lock_timeout = %L', reader, '10s');
    begin
        execute format('alter role %I set temp_file_limit = %L', reader, '1GB');
    exception when insufficient_privilege then
        null;
    end;
end
$$;

-- name: close_cluster
-- Shuts the embedded server's own databases to all but mnemo_admin.
revoke all on database postgres, template1 from public;

-- name: creation_of_database
-- Returns the statement that makes the named database, or no row if it is there.
select format('create database %%I owner %%I', %(name)s::text, %(owner)s::text) as statement
where not exists (select from pg_database where datname = %(name)s::text);

-- name: creation_of_dagster
-- Returns the statements that make the database of Dagster and close it to all but its owner, or no row if it is
-- there and closed.
select statement from (values
    (1, format(
        'create database %%I owner %%I template template0 encoding %%L', %(name)s::text, %(owner)s::text, 'UTF8'
    )),
    (2, format('revoke all on database %%I from public', %(name)s::text))
) as made (step, statement)
where not exists (
    select from pg_database d where d.datname = %(name)s::text
        and not has_database_privilege(%(reader)s::text, d.oid, 'connect')
) and (step = 2 or not exists (select from pg_database where datname = %(name)s::text))
order by step;

-- name: database_exists
-- Returns a row if there is a database of that name.
select datname from pg_database where datname = %(name)s::text;

-- name: close_database
-- Takes from everybody what a new database gives to everybody. Run in that database by mnemo_admin, or by the owner
-- on a server of theirs, where what only a superuser may take away stays.
-- A read-only transaction stops none of the functions for a caller who opens a read-write one.
do $$
declare
    open_to_all regprocedure;
    reader text := coalesce(nullif(current_setting('mnemo.reader', true), ''), 'mnemo_reader');
    owner text := (select pg_get_userbyid(datdba) from pg_database where datname = current_database());
begin
    execute format('revoke all on database %I from public', current_database());
    execute format('grant connect on database %I to %I', current_database(), reader);
    revoke all on schema public from public;
    execute format('grant usage on schema public to %I', reader);
    if (select pg_has_role(lanowner, 'usage') from pg_language where lanname = 'plpgsql') then
        revoke all on language plpgsql from public;
        execute format('grant usage on language plpgsql to %I', owner);
    end if;
    for open_to_all in
        select oid::regprocedure from pg_proc
        where pronamespace = 'pg_catalog'::regnamespace
            and proname ~ '^(lo_|lowrite$|pg_(try_)?advisory_|pg_logical_emit_message$)'
            and pg_has_role(proowner, 'usage')
    loop
        execute format('revoke execute on function %s from public', open_to_all);
        execute format('grant execute on function %s to %I', open_to_all, owner);
    end loop;
end
$$;

-- name: lock_migrations
-- Waits for another migration; released with the transaction.
select pg_advisory_xact_lock(7306086968);

-- name: create_migrations
-- Makes the list of applied migrations.
create schema if not exists mnemo;
create table if not exists mnemo.migrations (
    number integer primary key,
    name text not null,
    sha256 text not null, -- of the file
    applied_at timestamptz not null default now()
);

-- name: applied_migrations
-- Returns number and sha256 of each applied migration, as the owner sees them.
select number, sha256 from mnemo.migrations order by number;

-- name: visible_migrations
-- Returns number and sha256 of each applied migration, as any role of ours sees them.
select number, sha256 from serve.migrations order by number;

-- name: insert_migration
-- Records a migration, in its own transaction.
insert into mnemo.migrations (number, name, sha256) values (%(number)s, %(name)s, %(sha256)s);

-- name: open_serve
-- Shows the reader's role the views of schema serve, and nothing else. The last step of a migration.
create or replace view serve.migrations as select number, sha256 from mnemo.migrations;
do $$
declare
    reader text := coalesce(nullif(current_setting('mnemo.reader', true), ''), 'mnemo_reader');
begin
    execute format('grant usage on schema serve to %I', reader);
    execute format('grant select on all tables in schema serve to %I', reader);
end
$$;

-- The server of the owner's own: MNEMO_DSN.

-- name: fitness
-- Returns the encoding, whether lower case is known beyond ASCII, and whether schemas may be made.
select
    current_setting('server_encoding') as encoding,
    lower('ÀÉЖ') = 'àéж' as folds,
    has_database_privilege(current_database(), 'create') as may_create;

-- name: extensions
-- Returns, for each extension: whether it can be had, the schema in which it stands or null, and whether the user
-- may make it.
select
    needed.name,
    available.name is not null as available,
    n.nspname as schema,
    (me.rolsuper or coalesce(
        (select bool_or(trusted) from pg_available_extension_versions v where v.name = needed.name), false
    )) and has_schema_privilege('public', 'create') as may_create
from (values ('pg_trgm'), ('unaccent')) as needed (name)
cross join (select rolsuper from pg_roles where rolname = current_user) me
left join pg_available_extensions available on available.name = needed.name
left join pg_extension e on e.extname = needed.name
left join pg_namespace n on n.oid = e.extnamespace
order by needed.name;

-- name: serve_is_there
-- Returns a row if a migration has been applied.
select true as is_there where to_regclass('mnemo.migrations') is not null and to_regnamespace('serve') is not null;

-- name: reader_state
-- Returns whether there is a role of that name, and whether mnemo made it for this database.
select
    r.oid is not null as is_there,
    coalesce(shobj_description(r.oid, 'pg_authid') = 'mnemo: asks in ' || current_database(), false) as ours
from (select 1) one left join pg_roles r on r.rolname = %(reader)s::text;

-- name: making_of_reader
-- Returns the statements that make the reader's role, or give it another password.
select statement from (values
    (1, format('create role %%I', %(reader)s::text)),
    (2, format('comment on role %%I is %%L', %(reader)s::text, 'mnemo: asks in ' || current_database())),
    (3, format('alter role %%I with login password %%L', %(reader)s::text, %(verifier)s::text))
) as made (step, statement)
where step > 1 or not exists (select from pg_roles where rolname = %(reader)s::text)
order by step;

-- name: reader_may_too_much
-- Returns whether the session's user could write in the graph, or do more than ask.
select
    r.rolsuper or r.rolcreaterole or r.rolcreatedb or r.rolreplication or r.rolbypassrls
    or exists (select from pg_auth_members m where m.member = r.oid)
    or pg_get_userbyid(d.datdba) = r.rolname
    or has_database_privilege(d.oid, 'create')
    or exists (select from pg_namespace n where n.nspname in ('mnemo', 'serve') and n.nspowner = r.oid)
    or coalesce(has_schema_privilege(to_regnamespace('mnemo')::oid, 'usage'), false) as too_much
from pg_roles r cross join pg_database d
where r.rolname = session_user and d.datname = current_database();

-- name: this_session
-- Returns what tells this session from every other one.
select pg_backend_pid() as pid, backend_start from pg_stat_activity where pid = pg_backend_pid();

-- name: end_session
-- Ends a session of this role, if it is still there.
select pg_terminate_backend(pid, 5000) from pg_stat_activity
where pid = %(pid)s and backend_start = %(backend_start)s and usename = current_user;
