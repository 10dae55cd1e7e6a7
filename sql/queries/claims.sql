-- Documents are claimed before they are worked on. A claim ends with its outcome, with its time (the database's
-- clock), or with the session of its claimant, who holds an advisory lock: 1296912208 is its class.
-- The queries that take claims stand with their rooms: they set claimed_by, claimed_until and claim_token.

-- name: try_claimant
-- Whether a number was free to be this session's: taken.
select pg_try_advisory_lock(1296912208, %(claimant)s) as taken;

-- name: end_claimant
-- Gives the number back.
select pg_advisory_unlock(1296912208, %(claimant)s);

-- name: free_lost_claims
-- Frees what is claimed by nobody that is there, or for too long.
with held as materialized (
    select objid::bigint as claimant from pg_locks
    where locktype = 'advisory' and classid = 1296912208 and objsubid = 2 and granted
        and database = (select oid from pg_database where datname = current_database())
), lost as materialized (
    select document_id from documents
    where claimed_by is not null
        and (claimed_until < now() or claimed_by not in (select claimant from held))
    order by document_id
    for update skip locked
)
update documents d set claimed_by = null, claimed_until = null, claim_token = null
from lost where d.document_id = lost.document_id;

-- name: renew
-- Lets a claimant's claims stand from now on as long as a new one.
update documents set claimed_until = now() + %(lease)s where claimed_by = %(claimant)s;

-- name: busy
-- Those of these sha256s that are claimed.
select sha256 from documents where sha256 = any(%(only)s::text[]) and claimed_by is not null;

-- name: hold
-- Locks a document for the outcome of a claim; no row if the claim was lost or the document is gone.
select document_id from documents
where document_id = %(document_id)s and claim_token = %(claim_token)s
for no key update;

-- name: release
-- Frees what a claimant still has.
update documents set claimed_by = null, claimed_until = null, claim_token = null
where claimed_by = %(claimant)s;

-- name: commit_lazily
-- Does not wait for the disk at the end of this transaction.
set local synchronous_commit = off;
