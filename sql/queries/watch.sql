-- When an archive is to be looked at: what changes should be seen soon, and the rest by the clock.

-- name: watched
-- The archives with what decides when each is looked at: archive_id, name, root, device, inode, healthy_at, outage,
-- and look_due, whether a look is due by the clock: a little before `due` would ask for a scan.
select archive_id, name, root, device, inode, healthy_at, outage,
    clock_timestamp() > scan_started_at
        + greatest(interval '50 seconds', 16 * (scan_ended_at - scan_started_at)) as look_due
from archives order by archive_id;

-- name: mark_changed
-- Something changed in archives, or may have.
update archives set changed_at = clock_timestamp() where archive_id = any(%(archive_ids)s::integer[]);

-- name: try_lock_archive
-- Whether nobody was scanning the archive: taken. As lock_archive in archive.sql.
select pg_try_advisory_lock(1296912210, %(archive_id)s) as taken, clock_timestamp() as at;

-- name: unlock_archive
-- Lets others scan the archive.
select pg_advisory_unlock(1296912210, %(archive_id)s);

-- name: record_look
-- A look found nothing to scan: it stands for a scan. An end that is later than this one's start is another's.
update archives set scan_started_at = %(at)s, scan_ended_at = clock_timestamp()
where archive_id = %(archive_id)s and coalesce(scan_started_at < %(at)s, true);

-- name: scan_due
-- Whether an archive is to be scanned, and nobody does: due. One is if it never was, if a scan of it was killed, if
-- something changed since the last scan began, or if its time has come: a minute, or 20 times what a scan takes.
-- Changes without end may take a fifth of the time, or a scan a minute.
select exists (
    select from archives a
    cross join lateral (select a.scan_ended_at - a.scan_started_at as took) t
    where (
            a.scan_started_at is null
            or a.scan_ended_at is null
            or a.scan_ended_at < a.scan_started_at
            or a.changed_at > a.scan_started_at
                and clock_timestamp() > a.scan_ended_at + least(4 * t.took, interval '1 minute')
            or clock_timestamp() > a.scan_started_at + greatest(interval '1 minute', 20 * t.took)
        )
        and not exists (
            select from pg_locks l
            where l.locktype = 'advisory' and l.classid = 1296912210 and l.objid = a.archive_id and l.granted
                and l.database = (select oid from pg_database where datname = current_database())
        )
) as due;

-- name: documents_waiting
-- The documents in a stage that nobody works on and that can go on, by what tells whether they did: n, first, last.
-- Without those that wait for a program that converts them: converts are the kinds of documents for which one is
-- installed now; and without those that no hosted endpoint may see.
with held as materialized (
    select objid::bigint as claimant from pg_locks
    where locktype = 'advisory' and classid = 1296912208 and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())
)
select count(*) as n, min(document_id) as first, max(document_id) as last
from documents
where stage = %(stage)s and stage in ('new', 'extracted')
    and (error_class is distinct from 'ConverterMissing' or error = any(%(converts)s::text[]))
    and error_class is distinct from 'NotOptedIn'
    and (claimed_by is null or claimed_until < now() or claimed_by not in (select claimant from held));

-- name: scans_waiting
-- The documents with pages to be recognised that nobody works on, by what tells whether they get on: n, first, last, and
-- how many of their pages are done.
with held as materialized (
    select objid::bigint as claimant from pg_locks
    where locktype = 'advisory' and classid = 1296912208 and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())
), waiting as materialized (
    select document_id from documents
    where stage in ('ocr_pending', 'extracted', 'graphed') and pages_awaiting_ocr > ocr_failed
        and (claimed_by is null or claimed_until < now() or claimed_by not in (select claimant from held))
)
select count(*) as n, min(document_id) as first, max(document_id) as last,
    (select count(*) from recognised_pages join waiting using (document_id)) as pages
from waiting;

-- name: made_by_older_code
-- How many texts are not of a reader as it is now, and of how many documents older rules judged the parts: n.
select count(*) as n
from documents d
where d.reader is not null and not exists (
        select from unnest(%(readers)s::text[], %(versions)s::integer[]) as r (reader, version)
        where r.reader = d.reader and r.version = d.reader_version
    )
    or d.document_id in (select parent_id from document_parts where rules_version <> %(rules_version)s);
