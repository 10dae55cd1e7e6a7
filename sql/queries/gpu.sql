-- Who may use a preset of the graphics card. A lease is free when it has no owner, when its time is over (by the
-- database's clock), or when the session of its owner is gone, who holds an advisory lock: 1296912211 is its class.
-- Whoever frees or takes one locks its row first, and looks at the locks in a statement of its own after that: the
-- lock of whoever had the row before is among them.

-- name: try_number
-- Whether a number was free to be this session's: taken.
select pg_try_advisory_lock(1296912211, %(number)s) as taken;

-- name: begin
-- Begins a preset's row, if there is none.
insert into gpu_leases (preset) values (%(preset)s) on conflict do nothing;

-- name: lock
-- Locks a preset's row.
select from gpu_leases where preset = %(preset)s for no key update;

-- name: take
-- Becomes the owner of a free preset: token; no row if somebody has it.
update gpu_leases set owner_tag = %(tag)s, lock_number = %(number)s, token = token + 1,
    acquired_at = clock.now, renewed_at = clock.now, expires_at = clock.now + %(time)s
from (select clock_timestamp() as now) as clock -- once: a lease is not longer than it says, by no microsecond
where preset = %(preset)s
    and (owner_tag is null or expires_at < clock.now or lock_number not in (
        select objid::bigint from pg_locks
        where locktype = 'advisory' and classid = 1296912211 and objsubid = 2 and granted
            and database = (select oid from pg_database where datname = current_database())
    ))
returning token;

-- name: renew
-- Puts the end of an owner's time off: preset; no row if it is the owner no more.
update gpu_leases set renewed_at = clock.now, expires_at = clock.now + %(time)s
from (select clock_timestamp() as now) as clock
where preset = %(preset)s and token = %(token)s and owner_tag is not null
returning preset;

-- name: hold
-- Keeps a preset from changing hands until the end of the transaction: no row if it has done so.
select from gpu_leases where preset = %(preset)s and token = %(token)s and owner_tag is not null for share;

-- name: give_back
-- Frees a preset, if it is still its owner's.
update gpu_leases set owner_tag = null, lock_number = null, expires_at = null
where preset = %(preset)s and token = %(token)s;

-- name: owned
-- The presets that have an owner, there or not.
select preset from gpu_leases where owner_tag is not null order by preset;

-- name: free_lost
-- Frees a preset whose owner is gone, or whose time is over: preset.
update gpu_leases set owner_tag = null, lock_number = null, expires_at = null
where preset = %(preset)s and owner_tag is not null
    and (expires_at < clock_timestamp() or lock_number not in (
        select objid::bigint from pg_locks
        where locktype = 'advisory' and classid = 1296912211 and objsubid = 2 and granted
            and database = (select oid from pg_database where datname = current_database())
    ))
returning preset;

-- name: holders
-- Who has a preset and is there: preset, owner_tag, acquired_at.
select preset, owner_tag, acquired_at from gpu_leases
where owner_tag is not null and expires_at >= clock_timestamp() and lock_number in (
    select objid::bigint from pg_locks
    where locktype = 'advisory' and classid = 1296912211 and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())
)
order by preset;
