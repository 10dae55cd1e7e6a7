-- Generations of the graph, and the documents that wait to be mined into the active one.

-- name: lock_generations
-- Waits until nobody else makes or switches generations; held to the end of the transaction.
select pg_advisory_xact_lock(1296912207, 2);

-- name: lock_activation
-- Waits until no other session builds a generation; held until unlock_activation, or the session's end.
select pg_advisory_lock(1296912207, 3);

-- name: unlock_activation
-- Lets another session build a generation.
select pg_advisory_unlock(1296912207, 3);

-- name: generation_in
-- The generation in a state, if there is one, with its recipe and the owner's names as they were seeded.
select g.generation, g.extractor_id, x.name as recipe, x.version, g.derivation,
    array(
        select o.name from owner_names o where o.generation = g.generation order by o.ordinal
    ) as owner,
    array(
        select o.key from owner_names o where o.generation = g.generation order by o.ordinal
    ) as owner_keys,
    x.request, x.request_hash
from generations g join extractors x using (extractor_id)
where g.state = %(state)s;

-- name: put_extractor
-- The id of a recipe at a version, with its request; it is added if need be.
with added as (
    insert into extractors (name, version, kind, model, request, request_hash)
    values (%(recipe)s, %(version)s, %(kind)s, %(model)s, %(request)s, %(request_hash)s)
    on conflict do nothing
    returning extractor_id
)
select extractor_id from added
union all
select extractor_id from extractors
where name = %(recipe)s and version = %(version)s and request_hash = %(request_hash)s
limit 1;

-- name: insert_generation
-- Makes a generation, empty.
insert into generations (extractor_id, derivation, state, activated_at)
values (%(extractor_id)s, %(derivation)s, %(state)s, case when %(state)s = 'active' then now() end)
returning generation;

-- name: insert_owner_names
-- Seeds the owner's names.
insert into owner_names (generation, key, name, ordinal)
select %(generation)s, n.key, n.name, n.ordinal - 1
from unnest(%(keys)s::text[], %(names)s::text[]) with ordinality as n (key, name, ordinal);

-- name: insert_owner
-- Seeds the owner, a person, whether or not a document mentions them.
insert into entities (generation, type, key, name, is_owner)
values (%(generation)s, %(type)s, %(key)s, %(name)s, true);

-- name: retire
-- Has a generation's rows removed, by and by.
update generations set state = 'retired' where generation = %(generation)s;

-- name: promote
-- Serves a generation.
update generations set state = 'active', activated_at = now() where generation = %(generation)s;

-- name: retired_generation
-- A generation whose rows are to be removed.
select generation from generations where state = 'retired' order by generation limit 1;

-- name: delete_some_entities
-- Deletes some of a generation's entities, with their mentions and relations: returns their ids.
delete from entities
where entity_id in (select entity_id from entities where generation = %(generation)s limit %(limit)s)
returning entity_id;

-- name: delete_generation
-- Deletes a generation that has no entities.
delete from generations where generation = %(generation)s;

-- name: delete_superseded_extractions
-- Deletes recipes of older versions that no generation uses, with what they found.
delete from extractors x
where not exists (select from generations g where g.extractor_id = x.extractor_id)
    and exists (
        select from extractors n
        where n.name = x.name and n.request_hash = x.request_hash and n.version > x.version
    );

-- name: count_waiting
-- How many documents wait to be mined, claimed or not, and at least how many of their chunks are to be extracted.
-- only, again, folders: as for claim_mining.
select (
        select count(*) from documents d
        where (%(only)s::text[] is null or d.sha256 = any(%(only)s::text[]))
            and (%(folders)s::bytea[] is null or d.document_id not in (select outside(%(folders)s::bytea[])))
            and (
            d.stage = 'extracted'
            or (%(again)s in ('failed', 'all') and (
                (d.stage = 'failed' and d.error_class = 'ExtractionFailed')
                or (d.stage = 'graphed' and d.error_class = 'Partial')
            ))
            or (%(again)s in ('merge', 'all') and d.stage = 'graphed')
        )
    ) as documents,
    (
        select count(*) from (
            select from documents d join chunks c using (document_id)
            where (%(only)s::text[] is null or d.sha256 = any(%(only)s::text[]))
                and (d.stage = 'extracted' or (%(again)s = 'all' and d.stage = 'graphed'))
                and (%(again)s = 'all' or not exists (
                    select from chunk_extractions x
                    where x.content_sha256 = c.content_sha256 and x.extractor_id = %(extractor_id)s
                ))
            limit %(enough)s
        ) as bounded
    ) as chunks;

-- name: claim_mining
-- Claims the next documents to be mined. only: of these sha256s, or null for all. again: of those that do not wait,
-- also 'failed' ones and those of which a part failed, or 'all' that are in the graph; or 'merge': those in the graph,
-- and of those that wait the ones of which every text was given to the recipe already; or 'stored': these alone. folders: those outside of which
-- nothing is claimed, or null.
with waiting as materialized (
    select d.document_id from documents d
    where d.document_id > %(after)s and d.claimed_by is null
        and (%(only)s::text[] is null or d.sha256 = any(%(only)s::text[]))
        and (%(folders)s::bytea[] is null or d.document_id not in (select outside(%(folders)s::bytea[])))
        and (
            (d.stage = 'extracted' and (coalesce(%(again)s, '') not in ('merge', 'stored') or not exists (
                select from chunks c
                where c.document_id = d.document_id and not exists (
                    select from chunk_extractions x
                    where x.content_sha256 = c.content_sha256 and x.extractor_id = %(extractor_id)s
                )
            )))
            or (%(again)s in ('failed', 'all') and (
                (d.stage = 'failed' and d.error_class = 'ExtractionFailed')
                or (d.stage = 'graphed' and d.error_class = 'Partial')
            ))
            or (%(again)s in ('merge', 'all') and d.stage = 'graphed')
        )
    order by d.document_id
    limit %(limit)s
    for no key update skip locked
)
update documents d
set claimed_by = %(claimant)s, claimed_until = now() + %(lease)s, claim_token = %(claim_token)s
from waiting where d.document_id = waiting.document_id
returning d.document_id, d.claim_token, d.page_starts, d.quoted;

-- name: standing
-- Those of some documents that are still claimed as they were, and lie in none but these folders, if some are given.
select d.document_id
from unnest(%(document_ids)s::bigint[], %(claim_tokens)s::uuid[]) as n (document_id, claim_token)
join documents d using (document_id, claim_token)
where %(folders)s::bytea[] is null or d.document_id not in (select outside(%(folders)s::bytea[]));

-- name: count_unbuilt
-- How many documents of the graph are not in a generation yet: n. whole: of those alone of which every text was given
-- to the recipe.
select count(*) as n from documents d
where d.stage = 'graphed'
    and not exists (
        select from contributions c where c.generation = %(generation)s and c.document_id = d.document_id
    )
    and (not %(whole)s::boolean or not exists (
        select from chunks c
        where c.document_id = d.document_id and not exists (
            select from chunk_extractions x
            where x.content_sha256 = c.content_sha256 and x.extractor_id = %(extractor_id)s
        )
    ));

-- name: unbuilt
-- The next documents of the graph that are not in a generation yet.
select d.document_id, d.extracted_at, d.page_starts, d.quoted, coalesce(d.chars, 0) as chars from documents d
where d.stage = 'graphed' and d.document_id > %(after)s and not exists (
    select from contributions c where c.generation = %(generation)s and c.document_id = d.document_id
)
order by d.document_id
limit %(limit)s;

-- name: extracted_chunks
-- The chunks of documents, in order, with what a recipe found in each; outcome is null where it was not given it.
select c.document_id, c.ordinal, c.start_offset, c.text, x.outcome, x.entities, x.relations
from chunks c
left join chunk_extractions x on x.content_sha256 = c.content_sha256 and x.extractor_id = %(extractor_id)s
where c.document_id = any(%(document_ids)s::bigint[])
order by c.document_id, c.ordinal;

-- name: still_built
-- Those of some documents that are in the graph with the text that was read of them then: document_id.
select d.document_id
from unnest(%(document_ids)s::bigint[], %(extracted_at)s::timestamptz[]) as n (document_id, extracted_at)
join documents d on d.document_id = n.document_id
where d.stage = 'graphed' and d.extracted_at is not distinct from n.extracted_at;

-- name: missing_of_each
-- The contents of documents' chunks that a recipe has not been given yet, each once a document, in their order:
-- document_id, content_sha256, text. again: 'failed', those that it could do nothing with, or not all, too; 'all',
-- whether it was given them or not; 'merge' and 'stored', none.
select c.document_id, c.content_sha256, min(c.text) as text
from chunks c
where c.document_id = any(%(document_ids)s::bigint[])
    and coalesce(%(again)s, '') not in ('merge', 'stored')
    and (%(again)s = 'all' or not exists (
        select from chunk_extractions x
        where x.content_sha256 = c.content_sha256 and x.extractor_id = %(extractor_id)s
            and (x.outcome = 'done' or %(again)s is distinct from 'failed')
    ))
group by c.document_id, c.content_sha256
order by c.document_id, min(c.ordinal);

-- name: settle_mining
-- Writes that a document is in the graph and ends its claim; no row if its generation is not the active one.
update documents
set stage = 'graphed', graphed_at = now(), attempts = 0, chunks_failed = %(chunks_failed)s,
    error_class = case when %(chunks_failed)s > 0 then 'Partial' when ocr_failed > 0 then 'OcrFailed' end, error = null,
    claimed_by = null, claimed_until = null, claim_token = null
where document_id = %(document_id)s
    and exists (select from generations where generation = %(generation)s and state = 'active')
returning attempts;

-- name: settle_failure
-- Writes that no chunk of a document could be mined, and ends its claim; no row if its generation is not the active one.
update documents
set stage = 'failed', failed_at = now(), attempts = attempts + 1, chunks_failed = %(chunks_failed)s,
    error_class = 'ExtractionFailed', error = null,
    claimed_by = null, claimed_until = null, claim_token = null
where document_id = %(document_id)s
    and exists (select from generations where generation = %(generation)s and state = 'active')
returning attempts;

-- name: send_back_unbuilt
-- Sends documents of the graph that are not in a generation back to be mined: its recipe was not given all their texts.
update documents d
set stage = 'extracted', attempts = 0, chunks_failed = 0, error = null,
    error_class = case when ocr_failed > 0 then 'OcrFailed' end
where d.stage = 'graphed' and not exists (
    select from contributions c where c.generation = %(generation)s and c.document_id = d.document_id
);

-- name: settle_switch
-- Tells documents of the graph what the recipe of the generation that is served from now on could not do.
with tally as materialized (
    select c.document_id, count(*) as chunks, count(*) filter (where x.outcome <> 'done') as failed,
        count(*) filter (where x.outcome = 'failed') as empty
    from chunks c
    join documents d using (document_id)
    left join chunk_extractions x
        on x.content_sha256 = c.content_sha256 and x.extractor_id = %(extractor_id)s
    where d.stage = 'graphed'
    group by c.document_id
)
update documents d
set chunks_failed = t.failed,
    stage = case when t.empty = t.chunks then 'failed' else d.stage end,
    failed_at = case when t.empty = t.chunks then now() else d.failed_at end,
    error_class = case
        when t.empty = t.chunks then 'ExtractionFailed' when t.failed > 0 then 'Partial'
        when d.ocr_failed > 0 then 'OcrFailed'
    end
from tally t
where d.document_id = t.document_id and (t.failed > 0 or d.chunks_failed > 0);

-- name: delete_failed_contributions
-- Takes documents of which nothing could be mined out of a generation: they have no mentions there.
delete from contributions c using documents d
where c.generation = %(generation)s and d.document_id = c.document_id and d.stage = 'failed';

-- name: give_failures_to_next
-- Sends documents of which another recipe could mine nothing on to the one that is served from now on.
update documents set stage = 'extracted', error_class = null, chunks_failed = 0
where stage = 'failed' and error_class = 'ExtractionFailed';

-- name: delete_orphan_extractions
-- Deletes what was found in texts that no document has any more, and what models answered about them: stored after
-- their document was removed.
with gone_replies as (
    delete from model_replies r where not exists (select from chunks c where c.content_sha256 = r.content_sha256)
)
delete from chunk_extractions x where not exists (select from chunks c where c.content_sha256 = x.content_sha256);
