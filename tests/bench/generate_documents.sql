-- An archive of as many documents as the setting bench.documents says, none of them read yet; no file of it exists.

insert into archives (name, root, healthy_at, scan_started_at, scan_ended_at)
values ('generated', '/nowhere/at/all', now(), now(), now());

create temporary table made as
select n, encode(sha256(('document ' || n)::bytea), 'hex') as sha256, n % 100 as lot
from generate_series(1, current_setting('bench.documents')::integer) as n;

insert into files (archive_id, path, display_path, ext, size_bytes, mtime_ns, sha256, outcome, rules_version)
select a.archive_id, ('letters/' || n || '.txt')::bytea, 'letters/' || n || '.txt', 'txt', 176,
    1600000000000000000 + n, sha256, 'admitted', current_setting('bench.rules_version')::integer
from made, archives a
order by n;

insert into documents (sha256) select sha256 from made order by n;

