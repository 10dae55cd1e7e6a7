-- Recipes: which there are, what they did and what that cost; and two of them side by side.

-- name: stored_extractors
-- All recipes, each version and request of them, and whether the graph that is served is made with it.
select x.extractor_id, x.name, x.version, x.kind, x.request_hash,
    exists (select from generations g where g.extractor_id = x.extractor_id and g.state = 'active') as is_active
from extractors x
order by x.name, x.request_hash, x.version;

-- name: renew_extractor
-- The id of a recipe, with the request that it has, at another version of its code; it is added if need be.
with added as (
    insert into extractors (name, version, kind, model, request, request_hash, unmeasured_at)
    select name, %(version)s, kind, model, request, request_hash, unmeasured_at
    from extractors where extractor_id = %(extractor_id)s
    on conflict do nothing
    returning extractor_id
)
select extractor_id from added
union all
select n.extractor_id
from extractors x join extractors n on n.name = x.name and n.request_hash = x.request_hash and n.version = %(version)s
where x.extractor_id = %(extractor_id)s
limit 1;

-- name: count_outcomes
-- What became of texts, by recipe: extractor_id, chunks that are done, failed and split, and what was dropped in them.
select extractor_id, count(*) filter (where outcome = 'done') as done,
    count(*) filter (where outcome = 'failed') as failed, count(*) filter (where outcome = 'split') as split,
    sum(jsonb_array_length(dropped))::bigint as dropped, sum(ungrounded)::bigint as ungrounded,
    sum(malformed)::bigint as malformed
from chunk_extractions
group by extractor_id;

-- name: count_documents
-- The documents of which every text was given to a recipe: extractor_id, n.
select extractor_id, count(*) as n
from (
    select x.extractor_id, c.document_id
    from chunks c join chunk_extractions x using (content_sha256)
    group by x.extractor_id, c.document_id
    having count(*) = (select count(*) from chunks k where k.document_id = c.document_id)
) as whole
group by extractor_id;

-- name: sum_calls
-- What requests cost, by recipe, and by day if days: recipe, day, calls, attempts, tokens, milliseconds.
select recipe, case when %(days)s then called_at::date end as day, count(*) as calls,
    sum(attempts)::bigint as attempts, coalesce(sum(prompt_tokens), 0)::bigint as prompt_tokens,
    coalesce(sum(completion_tokens), 0)::bigint as completion_tokens, sum(milliseconds)::bigint as milliseconds
from model_calls
group by 1, 2
order by 1, 2;

-- name: measured_recipes
-- The recipes that a bake-off has measured, each as NAME@REQUEST_HASH.
select distinct unnest(recipes) as recipe from bakeoffs;

-- name: compared_documents
-- The next documents with a text that two recipes could deal with.
select d.document_id, d.page_starts, d.quoted
from documents d
where d.document_id > %(after)s and exists (
    select from chunks c
    join chunk_extractions a on a.content_sha256 = c.content_sha256 and a.extractor_id = %(a)s and a.outcome <> 'failed'
    join chunk_extractions b on b.content_sha256 = c.content_sha256 and b.extractor_id = %(b)s and b.outcome <> 'failed'
    where c.document_id = d.document_id
)
order by d.document_id
limit %(limit)s;

-- name: compared_chunks
-- The texts of documents that two recipes could deal with, in order, with what each found.
select c.document_id, c.ordinal, c.start_offset, c.text, a.entities as entities_a, a.relations as relations_a,
    b.entities as entities_b, b.relations as relations_b
from chunks c
join chunk_extractions a on a.content_sha256 = c.content_sha256 and a.extractor_id = %(a)s and a.outcome <> 'failed'
join chunk_extractions b on b.content_sha256 = c.content_sha256 and b.extractor_id = %(b)s and b.outcome <> 'failed'
where c.document_id = any(%(document_ids)s::bigint[])
order by c.document_id, c.ordinal;

-- name: request_of
-- The request that a recipe keeps: request.
select request from extractors where extractor_id = %(extractor_id)s;
