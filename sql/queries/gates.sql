-- Whether a recipe that asks a model was measured, and which documents it may see.

-- name: do_not_mind
-- Writes that the owner has a recipe drain the archive although nobody has measured it.
update extractors set unmeasured_at = now() where extractor_id = %(extractor_id)s and unmeasured_at is null;

-- name: is_measured
-- Whether a bake-off has measured a recipe with its request, or the owner did not mind: measured.
select x.unmeasured_at is not null
    or exists (select from bakeoffs b where b.recipes @> array[x.name || '@' || x.request_hash]) as measured
from extractors x where x.extractor_id = %(extractor_id)s;

-- name: opt_in
-- Lets documents be seen of which all files lie in these folders; all documents, where folders is null.
update documents d set error_class = case when ocr_failed > 0 then 'OcrFailed' end
where d.stage = 'extracted' and d.error_class = 'NotOptedIn'
    and (%(folders)s::bytea[] is null or d.document_id not in (select outside(%(folders)s::bytea[])));

-- name: opt_out
-- Keeps back the others, and what is inside of them.
update documents d set error_class = 'NotOptedIn'
where d.stage = 'extracted' and d.error_class is distinct from 'NotOptedIn'
    and %(folders)s::bytea[] is not null and d.document_id in (select outside(%(folders)s::bytea[]));
