-- Roles, databases and migrations. What stands here before lock_migrations is run on a database that lacks a
-- migration: a change of the roles comes with one.

-- name: lock_cluster
-- Waits for the cluster's other makers; released with the connection.
select pg_advisory_lock(7306086967);

-- name: create_roles
-- Makes the two roles, or brings them to this version's settings, and shuts the cluster's own databases to them.
-- Run by mnemo_admin.
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
alter role mnemo_reader with login nosuperuser nocreatedb nocreaterole noreplication nobypassrls connection limit 20;
alter role mnemo_reader set search_path = serve, public;
alter role mnemo_reader set default_transaction_read_only = on;
alter role mnemo_reader set statement_timeout = '30s';
alter role mnemo_reader set transaction_timeout = '60s';
alter role mnemo_reader set idle_in_transaction_session_timeout = '30s';
alter role mnemo_reader set lock_timeout = '10s';
alter role mnemo_reader set temp_file_limit = '1GB';
revoke all on database postgres, template1 from public;

-- name: creation_of_database
-- Returns the statement that makes the named database, or no row if it is there.
select format('create database %%I owner mnemo_owner', %(name)s::text) as statement
where not exists (select from pg_database where datname = %(name)s::text);

-- name: creation_of_dagster
-- Returns the statements that make the database of Dagster and close it to all but the owner, or no row if it is
-- there. The second one is harmless.
select statement from (values
    (1, format('create database %%I owner mnemo_owner', %(name)s::text)),
    (2, format('revoke all on database %%I from public', %(name)s::text))
) as made (step, statement)
where not exists (
    select from pg_database d where d.datname = %(name)s::text
        and not has_database_privilege('mnemo_reader', d.oid, 'connect')
) and (step = 2 or not exists (select from pg_database where datname = %(name)s::text))
order by step;

-- name: database_exists
-- Returns a row if there is a database of that name.
select datname from pg_database where datname = %(name)s::text;

-- name: close_database
-- Takes from everybody what a new database gives to everybody. Run by mnemo_admin in that database.
-- A read-only transaction stops none of the functions for a caller who opens a read-write one.
do $$
declare
    open_to_all regprocedure;
begin
    execute format('revoke all on database %I from public', current_database());
    execute format('grant connect on database %I to mnemo_reader', current_database());
    revoke all on schema public from public;
    grant usage on schema public to mnemo_reader;
    revoke all on language plpgsql from public;
    grant usage on language plpgsql to mnemo_owner;
    for open_to_all in
        select oid::regprocedure from pg_proc
        where pronamespace = 'pg_catalog'::regnamespace
            and proname ~ '^(lo_|lowrite$|pg_(try_)?advisory_|pg_logical_emit_message$)'
    loop
        execute format('revoke execute on function %s from public', open_to_all);
        execute format('grant execute on function %s to mnemo_owner', open_to_all);
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
-- Shows the reader role the views of schema serve, and nothing else. The last step of a migration.
create or replace view serve.migrations as select number, sha256 from mnemo.migrations;
grant usage on schema serve to mnemo_reader;
grant select on all tables in schema serve to mnemo_reader;
