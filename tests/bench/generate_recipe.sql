-- Documents of the graph, three chunks each, and what a recipe has found in them. Fifteen sentences a chunk, each with
-- one of 6,000 names; every chunk fills some 6,000 characters and says six relations: of some the predicate takes no
-- such ends, and one has words that no predicate says.

create function pg_temp.name(n integer) returns text language sql immutable as
$$ select initcap(translate(to_char(n / 5, 'FM0000'), '0123456789', 'abdefgiklo')) || ' '
    || (array['Miller', 'Holdings', 'Upon Thames', 'Project', 'Brandt'])[1 + n % 5] $$;

create temporary table said as
select d, c, e, (d * 31 + c * 97 + e * 613 + (d % 7) * e) % 6000 as n, 400 * e as start
from generate_series(1, %(documents)s) as d, generate_series(0, 2) as c, generate_series(0, 14) as e;

insert into documents (sha256, stage, extracted_at, graphed_at, chars)
select encode(sha256(('document ' || d)::bytea), 'hex'), 'graphed', now(), now(), 16800
from generate_series(1, %(documents)s) as d order by d;

insert into chunks (document_id, ordinal, start_offset, end_offset, first_page, last_page, text, content_sha256)
select d, c, 5400 * c, 5400 * c + length(text), 1, 1, text, encode(sha256((d || '.' || c)::bytea), 'hex')
from (
    select d, c, string_agg(rpad(pg_temp.name(n) || ' is in the letter of that day', 400, ' of which more is said'), ''
        order by e) as text
    from said group by d, c
) as texts order by d, c;

insert into chunk_extractions (content_sha256, extractor_id, outcome, entities, relations)
select encode(sha256((d || '.' || c)::bytea), 'hex'), %(extractor_id)s, 'done',
    jsonb_agg(jsonb_build_object('type', (array['Person', 'Org', 'Place', 'Thing', 'Person'])[1 + n % 5],
        'name', pg_temp.name(n), 'start', start, 'end', start + length(pg_temp.name(n)), 'role', 'mentioned') order by e),
    (select jsonb_agg(jsonb_build_object('subject', r, 'predicate',
        (array['depends on', 'part of', 'wrote to', 'is said beside', 'depends_on', 'required_by'])[1 + r],
        'object', r + 5, 'start', 400 * r, 'end', 400 * r + 420)) from generate_series(0, 5) as r)
from said group by d, c;
