-- What a model's server does with a response format: tried once, and remembered.

-- name: answer_format
-- Whether the replies of a preset are held to a schema, if that was tried: answer_format.
select answer_format from model_presets
where preset = %(preset)s and model = %(model)s and server = %(server)s;

-- name: remember_format
-- Remembers it: answer_format.
insert into model_presets (preset, model, server, answer_format, finding)
values (%(preset)s, %(model)s, %(server)s, %(answer_format)s, %(finding)s)
on conflict (preset, model, server) do update
set answer_format = excluded.answer_format, finding = excluded.finding, probed_at = now()
returning answer_format;
