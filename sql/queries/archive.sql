-- The ledger's side of the archive. Who writes rows of files holds the ledger's advisory lock shared, who removes
-- documents that no file holds has it alone; it is taken before any row is locked. 1296912209 is its class.

-- name: lock_archive
-- Waits until nobody else scans the archive; held until unlock_archive, or the end of the session.
select pg_advisory_lock(1296912210, %(archive_id)s);

-- name: unlock_archive
-- Lets others scan the archive.
select pg_advisory_unlock(1296912210, %(archive_id)s);

-- name: record_start
-- A scan of the archive begins: what changes from now on, it may not see.
update archives set scan_started_at = clock_timestamp() where archive_id = %(archive_id)s;

-- name: record_end
-- The scan of the archive ended, in whatever way.
update archives set scan_ended_at = clock_timestamp() where archive_id = %(archive_id)s;

-- name: share_ledger
-- Waits until nobody has the ledger alone; held to the end of the transaction.
select pg_advisory_xact_lock_shared(1296912209, 0);

-- name: own_ledger
-- Waits until nobody writes files; held to the end of the transaction.
select pg_advisory_xact_lock(1296912209, 0);

-- name: archives
-- All archives, in the order in which they came.
select archive_id, name, root, device, inode, mounts, healthy_at from archives order by archive_id;

-- name: insert_archive
-- Adds an archive; no row if its name is taken.
insert into archives (name, root) values (%(name)s, %(root)s) on conflict (name) do nothing returning archive_id;

-- name: move_archive
-- The archive has another root. Its device and inode stay: the scan does not take an empty disk for the archive.
update archives set root = %(root)s where archive_id = %(archive_id)s;

-- name: drop_unscanned
-- Forgets an archive that was never seen whole.
delete from archives where archive_id = %(archive_id)s and healthy_at is null;

-- name: record_outage
-- Says why the archive could not be scanned.
update archives set outage = %(outage)s where archive_id = %(archive_id)s and outage is distinct from %(outage)s;

-- name: record_health
-- The whole archive was seen, on that disk and those mounted below it.
update archives
set healthy_at = now(), device = %(device)s::numeric, inode = %(inode)s::numeric, mounts = %(mounts)s::bytea[],
    outage = null
where archive_id = %(archive_id)s;

-- name: files_after
-- A page of an archive's files, in the byte order of their paths.
select file_id, path, size_bytes, mtime_ns, sha256, outcome, rule, rules_version, missing_since is not null as missing
from files
where archive_id = %(archive_id)s and path > %(after)s
order by path
limit %(limit)s;

-- name: write_files
-- Adds or changes files, sorted by path. All of them are there: none is missing any more.
insert into files as f
    (archive_id, path, display_path, ext, size_bytes, mtime_ns, sha256, outcome, rule, rules_version)
select %(archive_id)s, n.path, n.display_path, n.ext, n.size_bytes, n.mtime_ns, n.sha256, n.outcome, n.rule,
    %(rules_version)s
from unnest(
    %(paths)s::bytea[], %(display_paths)s::text[], %(exts)s::text[], %(sizes)s::bigint[], %(mtimes)s::bigint[],
    %(hashes)s::text[], %(outcomes)s::text[], %(rules)s::text[]
) as n (path, display_path, ext, size_bytes, mtime_ns, sha256, outcome, rule)
order by n.path
on conflict (archive_id, path) do update
set size_bytes = excluded.size_bytes, mtime_ns = excluded.mtime_ns, sha256 = excluded.sha256,
    outcome = excluded.outcome, rule = excluded.rule, rules_version = excluded.rules_version, ext = excluded.ext,
    last_seen_at = now(), missing_since = null;

-- name: exclude_copies
-- Excludes, in all archives, the files of contents that a content rule excludes.
with banned as (
    select sha256, rule from unnest(%(hashes)s::text[], %(rules)s::text[]) as b (sha256, rule)
), copies as materialized (
    select f.file_id, b.rule from files f join banned b using (sha256) order by f.file_id for update of f
)
update files f set outcome = 'excluded', rule = copies.rule, sha256 = null, rules_version = %(rules_version)s
from copies where f.file_id = copies.file_id;

-- name: exclude_parts
-- Keeps out, wherever it is a part of a document, contents that a content rule excludes.
with banned as (
    select sha256, rule from unnest(%(hashes)s::text[], %(rules)s::text[]) as b (sha256, rule)
), copies as materialized (
    select p.parent_id, p.path, b.rule from document_parts p join banned b using (sha256)
    order by p.parent_id, p.path collate "C" for update of p
)
update document_parts p set rule = copies.rule, child_id = null, rules_version = %(rules_version)s
from copies where p.parent_id = copies.parent_id and p.path = copies.path;

-- name: insert_documents
-- Adds the contents that have no document yet, and returns them: sha256.
insert into documents (sha256)
select distinct sha256 from unnest(%(hashes)s::text[]) as n (sha256) order by sha256
on conflict (sha256) do nothing
returning sha256;

-- name: mark_missing
-- Files that were not found in an archive that was seen whole. They were last seen when it was last healthy.
update files
set missing_since = now(), last_seen_at = greatest(last_seen_at, %(healthy_at)s::timestamptz)
where file_id = any(%(file_ids)s::bigint[]) and missing_since is null;

-- name: unheld_documents
-- Some of the documents that no file holds, and no part of one that a file holds: document_id, sha256. A file that
-- cannot be read at the moment holds the content it had; one that is missing or excluded holds nothing. What is more
-- than five deep is not held.
with recursive held (document_id, depth) as (
    select p.parent_id, 0
    from (select distinct parent_id from document_parts where child_id is not null) p
    join documents d on d.document_id = p.parent_id
    where exists (select from files f where f.sha256 = d.sha256 and f.missing_since is null)
    union
    select p.child_id, h.depth + 1
    from held h join document_parts p on p.parent_id = h.document_id
    where p.child_id is not null and h.depth < %(deepest)s
)
select d.document_id, d.sha256
from documents d
where not exists (select from files f where f.sha256 = d.sha256 and f.missing_since is null)
    and not exists (select from held h where h.document_id = d.document_id)
order by d.document_id
limit %(limit)s;

-- name: let_parts_go
-- Says of documents that are to be deleted that the parts that they are lie too deep: what holds them is deleted, too,
-- or it is so.
update document_parts set rule = 'part:too-deep', child_id = null where child_id = any(%(document_ids)s::bigint[]);

-- name: delete_documents
-- Deletes documents with all rows that are theirs.
delete from documents where document_id = any(%(document_ids)s::bigint[]);
