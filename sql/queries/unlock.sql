-- Documents that open only with a password.

-- name: locked
-- Of these sha256s, or of all where that is null, those that ask for a password: sha256.
select sha256 from documents
where stage = 'failed' and error_class = 'Encrypted' and (%(only)s::text[] is null or sha256 = any(%(only)s::text[]))
order by document_id;
