-- What a file says about itself, and the language of its text. Two classes of errors have clearer names.

alter table documents
    add column metadata jsonb not null default '{}', -- author, sender, recipients, copies, message_id, created, modified, sent
    add column language text; -- ISO 639-1

update documents set error_class = 'Encrypted' where error_class = 'NeedsPassword';
update documents set error_class = 'TimedOut' where error_class = 'ReaderTimeout';
