-- When an archive was looked at, and when a watcher last saw something change in it: whether a scan is due.

alter table archives
    add column scan_started_at timestamptz, -- of the last scan, or of a look that found nothing to scan
    add column scan_ended_at timestamptz, -- however it ended; before scan_started_at: it was killed, or is under way
    add column changed_at timestamptz; -- a watcher saw a change, or began to watch
