-- What the orchestrator was told of each document. The ledger is always right; it is told afterwards.
-- A document is unreported if what it was told differs from what there is: sql/queries/reports.sql.

alter table documents
    add column reported_stage text,
    add column reported_class text, -- the error_class it was told
    add column reported_at timestamptz, -- the latest of the stages' times that it was told
    add column reported_version text, -- of the code, and the generation: pipeline.versions
    add column chunks_version integer not null default 1; -- of the code that cut its text

create index documents_unreported on documents (document_id)
    where reported_at is null or reported_stage is distinct from stage or reported_class is distinct from error_class
        or reported_at < greatest(new_at, extracted_at, graphed_at, failed_at, skipped_at, ocr_pending_at);
-- those told by another version stand at either end of this one
create index documents_by_reported_version on documents (reported_version);
